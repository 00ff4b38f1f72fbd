/* SPDX-License-Identifier: MIT */
/* compare.h — a comparison of two elements, as sorts and searches for extremes take it */
#ifndef SKUA_DETAIL_COMPARE_H
#define SKUA_DETAIL_COMPARE_H

/** Below 0: a comes first; 0: either may; above 0: b comes first.  As for qsort_r.
 * `return x < y` is never below 0, so it does not sort: that is the answer SKUA_SORT wants. */
typedef int skua_compare(const void *a, const void *b, void *context);

#endif
