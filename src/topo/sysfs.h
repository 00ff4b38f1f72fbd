/* SPDX-License-Identifier: MIT */
/* sysfs.h — one value out of one small file of /sys, its path given like printf's text */
#ifndef SKUAI_TOPO_SYSFS_H
#define SKUAI_TOPO_SYSFS_H

#include "os/cpuset.h"
#include "os/sysfile.h"

/*
 * Paths start below /sys/devices/system/.  The result is the state of the file, and a file that
 * holds something else than was asked for is SKUAI_FILE_REFUSED too.
 */

/* Room for one word or number; the longest that is read is "Instruction". */
#define SKUAI_SYSFS_WORD 64

/* The whole file without the blanks around it; the text lives in buffer[SKUAI_SYSFS_WORD]. */
enum skuai_file skuai_sysfs_text(const char *root, char *buffer, struct skuai_text *text,
				 const char *path, ...) __attribute__((format(printf, 4, 5)));

/* A decimal number, saturated; untouched unless the result is SKUAI_FILE_READ. */
enum skuai_file skuai_sysfs_number(const char *root, uint64_t *number, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A list of CPUs (or of NUMA nodes, which looks the same).  SKUAI_FILE_CUT: it named some from
 * SKUAI_CPUS_MAX on; the set holds the others.  Empty when there is nothing to read.
 */
enum skuai_file skuai_sysfs_list(const char *root, struct skuai_cpuset *set, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

#endif
