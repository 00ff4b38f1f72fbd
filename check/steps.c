/* SPDX-License-Identifier: MIT */
/* steps.c — the interleaving of a failing execution, printed step by step */
#include "steps.h"

#include "mem.h"
#include "run.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_shown;

void steps_show(bool is_on)
{
	is_shown = is_on;
}

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void steps_add(const struct skuai_site *site, const char *format, ...)
{
	char place[64];
	va_list arguments;

	if (!is_shown)
		return;
	snprintf(place, sizeof(place), "%s:%d", file_name(site->file), site->line);
	printf("    %*sT%d#%-3u %-22s %s", 2 * run_self(), "", run_self(), mem_serial(run_self()),
	       place, site->text);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

const char *steps_source(void)
{
	static char text[64];
	struct mem_source source = mem_last_source();
	int used = source.thread < 0 ? snprintf(text, sizeof(text), " initial")
				     : snprintf(text, sizeof(text), " from T%d#%u", source.thread,
						source.serial);

	if (source.newer)
		snprintf(text + used, sizeof(text) - (size_t)used, " (stale: %u newer)",
			 source.newer);
	return text;
}
