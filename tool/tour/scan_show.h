/* SPDX-License-Identifier: MIT */
/* scan_show.h — a scan of a real tree, for the tour */
#ifndef SKUAT_TOUR_SCAN_SHOW_H
#define SKUAT_TOUR_SCAN_SHOW_H

/* Scan /usr and show the summary in a line; one that says why where there is nothing to scan. */
void scan_show(void);

#endif
