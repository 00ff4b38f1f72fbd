/* SPDX-License-Identifier: MIT */
/* machine.h — what skua sees of this machine, and how many workers it would start */
#ifndef SKUA_MACHINE_H
#define SKUA_MACHINE_H

#include <skua/detail/export.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SKUA_BEGIN_C

/** The most workers one pool may have; SKUA_WORKERS and --workers accept 1 to this. */
#define SKUA_WORKERS_MAX 1024

/** The most kinds of cache one report holds (level and kind make one entry). */
#define SKUA_CACHES_MAX 8

/** What decided the number of workers. */
enum skua_workers_reason {
	SKUA_WORKERS_FROM_CPUS,	 /* the CPUs this process may run on */
	SKUA_WORKERS_FROM_QUOTA, /* a cgroup CPU quota that is below that */
	SKUA_WORKERS_FROM_ENV,	 /* the SKUA_WORKERS environment variable */
	SKUA_WORKERS_FROM_LIMIT, /* more CPUs than SKUA_WORKERS_MAX */
};

/** Which control-group hierarchies this process was found in. */
enum skua_cgroup {
	SKUA_CGROUP_NONE,
	SKUA_CGROUP_V1,
	SKUA_CGROUP_V2,
	SKUA_CGROUP_HYBRID, /* both at once */
};

/** Parts of the report that the system refused or garbled; bits of skua_machine.unreadable. */
enum skua_machine_part {
	SKUA_PART_AFFINITY = 1 << 0, /* which CPUs this process may use; online ones were assumed */
	SKUA_PART_CPUS = 1 << 1,     /* which CPUs exist and are online */
	SKUA_PART_CORES = 1 << 2,    /* cores and packages */
	SKUA_PART_CACHES = 1 << 3,
	SKUA_PART_NODES = 1 << 4,
	SKUA_PART_QUOTA = 1 << 5, /* quota_file says where, if known; no quota was assumed there */
};

enum skua_cache_kind {
	SKUA_CACHE_UNIFIED,
	SKUA_CACHE_DATA,
	SKUA_CACHE_INSTRUCTION,
};

/** One kind of cache, as seen from the allowed CPUs. */
struct skua_cache {
	unsigned level; /* 1 is nearest the core */
	enum skua_cache_kind kind;
	unsigned count;	     /* how many such caches serve the allowed CPUs */
	unsigned shared_by;  /* most allowed CPUs that share one of them */
	unsigned line_bytes; /* 0 when not told */
	uint64_t size_bytes; /* of one of them; the largest where they differ; 0 when not told */
};

/**
 * The report.  Set size to sizeof(struct skua_machine) before the call; all else is written by it.
 * A count that could not be learnt is 0, never a guess, except where `unreadable` names it.
 */
struct skua_machine {
	size_t size;

	unsigned cpus_possible;	     /* CPU numbers the kernel reserves */
	unsigned cpus_online;	     /* CPUs switched on */
	unsigned cpus_allowed;	     /* of those, the ones this process may run on; at least 1 */
	char cpus_allowed_list[128]; /* the same as text, "0-3,8"; ends in "..." where cut short */
	unsigned cores;		     /* physical cores that hold an allowed CPU */
	unsigned packages;	     /* sockets that hold an allowed CPU */
	unsigned nodes;		     /* NUMA nodes that hold an allowed CPU */
	unsigned cache_count;	     /* entries used in caches[], nearest first */
	struct skua_cache caches[SKUA_CACHES_MAX];

	enum skua_cgroup cgroup;
	unsigned cgroup_levels;	  /* group folders looked at, leaf to root, all hierarchies */
	uint64_t quota_us;	  /* the tightest quota: this much CPU time ... */
	uint64_t quota_period_us; /* ... in each such period; both 0 without a quota */
	char quota_file[256];	  /* the file that set the tightest quota, or could not be read */

	unsigned page_bytes;
	bool has_futex;	     /* threads can sleep on a word without a lock */
	bool has_membarrier; /* one thread can fence all others (private expedited) */
	char arch[32];	     /* "x86_64" */
	char kernel[64];     /* "Linux 6.1.0-40-amd64" */
	char cpu_model[96];  /* the kernel's name of the CPU; empty when it gives none */

	unsigned workers; /* how many workers a pool opened with no options starts; at least 1 */
	enum skua_workers_reason workers_reason;
	bool workers_env_ignored; /* SKUA_WORKERS holds text, but no number from 1 to the most */
	unsigned unreadable;	  /* bits of enum skua_machine_part; 0 when all was read */
};

struct skua_machine_options {
	size_t size; /* sizeof(struct skua_machine_options) */
	/* read root/proc and root/sys instead of /proc and /sys; NULL: the real ones */
	const char *root;
};

/**
 * Look at the machine: CPUs, affinity, caches, NUMA, cgroup quota, kernel services.
 *
 * With a root the report is about the machine whose files were copied there: affinity then comes
 * from root/proc/self/status, and has_futex, has_membarrier, page_bytes, arch and kernel still
 * describe this one.  Unreadable or hostile files never fail the call: see `unreadable`.
 *
 * Thread    any
 * Memory    none kept; a few buffers of at most 1 MiB, and 24 KiB of stack, during the call
 * Ordering  none
 * Fails     SKUA_EINVAL: machine NULL, a size too small to be ours, or root not a folder.
 *           *machine is then untouched.
 * Cost      some tens of small files read, about a millisecond on a small machine
 * See       examples/00_machine.c, skua doctor, man skua_machine_read
 */
SKUA_API int skua_machine_read(struct skua_machine *machine,
			       const struct skua_machine_options *options);

/**
 * Where one allowed CPU is.  Those with the same number share the thing; cores, caches and packages
 * are numbered from 0, nodes as the kernel does.  -1: not known, and never a guess.
 */
struct skua_cpu {
	unsigned cpu; /* the kernel's number */
	int core;
	int cache; /* the outermost cache that data goes through ... */
	int node;
	int package;
	unsigned cache_level; /* ... and its level, 3 for an L3; 0 when not known */
	unsigned capacity;    /* speed beside other CPUs, the fastest 1024; 0 when not told */
};

/** Room for the allowed CPUs.  Set the first four fields before the call. */
struct skua_cpus {
	size_t size;	       /* sizeof(struct skua_cpus) */
	size_t cpu_size;       /* sizeof(struct skua_cpu) */
	struct skua_cpu *cpus; /* an array of yours, or NULL to count only */
	size_t room;	       /* how many fit into it */
	size_t count;	     /* written: how many there are; the first `room` of them were filled */
	unsigned unreadable; /* written: bits of enum skua_machine_part */
};

/**
 * Look which allowed CPUs share a core, a last-level cache, a NUMA node and a package.
 *
 * They come in the order of their numbers.  Unreadable or hostile files never fail the call: what
 * they would have told is not known, see `unreadable`.  A kernel without NUMA, or one that tells no
 * caches or capacities, is no reason for a bit there.
 *
 * Thread    any
 * Memory    none kept; about 4 KiB, 16 bytes for each CPU and 24 KiB of stack during the call
 * Ordering  none
 * Fails     SKUA_EINVAL: cpus NULL, a size that cannot be ours, room without an array, or root not
 *           a folder.  SKUA_ENOMEM.  Nothing is written then.
 * Cost      a few small files for each core, cache, package and node, and one for each CPU
 * See       skua doctor, man skua_machine_read, tests/unit/test_machine_cpus.c
 */
SKUA_API int skua_machine_cpus(struct skua_cpus *cpus, const struct skua_machine_options *options);

SKUA_END_C

#endif
