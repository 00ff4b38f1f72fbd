/* SPDX-License-Identifier: MIT */
/* bar.h — a row of small squares, for a share of something */
#ifndef SKUAT_BAR_H
#define SKUAT_BAR_H

/* Write `length` squares, or # where the locale has none. */
void bar_draw(unsigned length);

#endif
