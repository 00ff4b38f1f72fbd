/* SPDX-License-Identifier: MIT */
/* ranked.h — the value that so many of a hundred do not exceed */
#ifndef SKUA_WORK_RANKED_H
#define SKUA_WORK_RANKED_H

/* Sorts them.  The nearest rank: always one of the values; 0 when there are none. */
double ranked(double *values, unsigned count, unsigned percent);

#endif
