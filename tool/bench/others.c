/* SPDX-License-Identifier: MIT */
/* others.c — how many CPUs other processes of the machine use while we measure */
#include "bench/others.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * /proc/stat counts the ticks of all CPUs: user, nice, system, idle, iowait, irq, softirq and
 * steal, the last for what the host of a virtual machine took away.  All but idle and iowait is
 * somebody's work; what is not ours is the others'.
 */
#define FIELDS 8
#define SHORT  1.0 /* second: below, the ticks, ten milliseconds each, say nothing */

static double seconds_of(clockid_t clock)
{
	struct timespec now = { 0 };

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool read_fields(double *fields)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[256] = "", *at = line + 3; /* "cpu" */
	bool is_whole = true;

	if (!file)
		return false;
	is_whole = fgets(line, sizeof(line), file) && strncmp(line, "cpu ", 4) == 0;
	fclose(file);
	for (int i = 0; i < FIELDS && is_whole; i++) {
		char *end;
		fields[i] = strtod(at, &end);
		is_whole = end != at;
		at = end;
	}
	return is_whole;
}

struct others others_start(void)
{
	double fields[FIELDS], ticks = (double)sysconf(_SC_CLK_TCK);
	struct others now = { .cpu = -1, .time = seconds_of(CLOCK_MONOTONIC) };

	if (!read_fields(fields) || ticks <= 0)
		return now;
	now.cpu = -seconds_of(CLOCK_PROCESS_CPUTIME_ID);
	for (int i = 0; i < FIELDS; i++)
		now.cpu += i == 3 || i == 4 ? 0 : fields[i] / ticks;
	return now;
}

double others_since(const struct others *start)
{
	struct others now = others_start();
	double time = now.time - start->time, cpu = now.cpu - start->cpu;

	if (start->cpu < 0 || now.cpu < 0 || time < SHORT)
		return -1;
	return cpu > 0 ? cpu / time : 0;
}
