/* SPDX-License-Identifier: MIT */
/* bar.c — a row of small squares, for a share of something */
#include "tour/bar.h"

#include "output.h"
#include "report.h"

void bar_draw(unsigned length)
{
	while (length--)
		out("%s", report_utf8() ? "\u25a0" : "#");
}
