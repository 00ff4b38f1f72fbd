/* SPDX-License-Identifier: MIT */
/* picture.h — the machine drawn in characters */
#ifndef SKUAT_PICTURE_H
#define SKUAT_PICTURE_H

#include <skua/skua.h>

#define PICTURE_ROWS 6 /* so that the whole tour fits a screen of 24 */

/*
 * Draw the allowed CPUs, grouped by the outermost cache they share: each one by its number when
 * they are few, as small squares when they are more, with "... and 12 more" when they are many.
 * At most PICTURE_ROWS lines and one line of summary.
 */
void picture_draw(const struct skua_machine *machine);

#endif
