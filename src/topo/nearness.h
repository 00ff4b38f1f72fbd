/* SPDX-License-Identifier: MIT */
/* nearness.h — which allowed CPUs share a core, a cache, a node; whom a thief visits first */
#ifndef SKUAI_TOPO_NEARNESS_H
#define SKUAI_TOPO_NEARNESS_H

#include "os/cpuset.h"

#include <skua/machine.h>

/* What CPUs can have in common. */
enum skuai_in {
	SKUAI_IN_CORE,
	SKUAI_IN_CACHE, /* the outermost cache that data goes through */
	SKUAI_IN_NODE,
	SKUAI_IN_PACKAGE,
	SKUAI_IN_COUNT
};

/* How far it is from one CPU to another. */
enum skuai_near {
	SKUAI_NEAR_CORE, /* the same core, or the same CPU */
	SKUAI_NEAR_CACHE,
	SKUAI_NEAR_NODE, /* the same node; also where nothing is known */
	SKUAI_NEAR_FAR,
	SKUAI_NEAR_COUNT
};

/* Nodes whose distances are kept; the largest machines sold today have 64. */
#define SKUAI_NEAR_NODES 64

/* One CPU; 16 bytes. */
struct skuai_cpu {
	int16_t in[SKUAI_IN_COUNT]; /* numbered from 0; -1: not known */
	int16_t node_number;	    /* the kernel's number of in[SKUAI_IN_NODE] */
	uint16_t capacity;	    /* the fastest CPU has 1024; 0: not told */
	uint8_t cache_level;	    /* of in[SKUAI_IN_CACHE] */
	bool is_allowed;
};

/* Written once by skuai_nearness_read; then only read, by anybody. */
struct skuai_nearness {
	unsigned limit;			 /* CPUs below this have an entry in cpus[] */
	unsigned count;			 /* how many of them are allowed */
	unsigned groups[SKUAI_IN_COUNT]; /* how many cores, caches, nodes, packages are known */
	unsigned unreadable;		 /* SKUA_PART_CORES, SKUA_PART_CACHES, SKUA_PART_NODES */
	/* from one node to another, as in[] numbers them; a row of zeros: not known */
	uint8_t distances[SKUAI_NEAR_NODES][SKUAI_NEAR_NODES];
	struct skuai_cpu cpus[]; /* by CPU number */
};

/*
 * Look at the machine whose files are below root (NULL: this one).  Files that are missing, garbled
 * or lie never fail the call: what they would have told is not known.  SKUA_ENOMEM: *nearness is
 * untouched.  One block of memory: 4 KiB and 16 bytes for each CPU number up to the last allowed.
 */
int skuai_nearness_read(const char *root, const struct skuai_cpuset *allowed,
			struct skuai_nearness **nearness);
void skuai_nearness_free(struct skuai_nearness *nearness);

/* A number of enum skuai_near.  nearness may be NULL, and a CPU any number: nothing is known. */
unsigned skuai_nearness_between(const struct skuai_nearness *nearness, unsigned cpu_a,
				unsigned cpu_b);

/* The other workers of a pool, as one of them sees them. */
struct skuai_victims {
	uint16_t *numbers;		 /* nearest first; room for one less than there are */
	unsigned ends[SKUAI_NEAR_COUNT]; /* those at numbers[ends[n - 1]] to [ends[n]] are at n */
};

/*
 * Fill *victims for worker `self` of `count`, of which worker i runs on CPU cpus[i].  At the same
 * distance they come by number, the next after self first, round the end; those that are far, in
 * nearer nodes first.
 */
void skuai_nearness_order(const struct skuai_nearness *nearness, const unsigned *cpus,
			  unsigned count, unsigned self, struct skuai_victims *victims);

#endif
