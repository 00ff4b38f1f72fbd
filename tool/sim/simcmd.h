/* SPDX-License-Identifier: MIT */
/* simcmd.h — `skua sim`: what was asked for, what came out, and the forms it is shown in */
#ifndef SKUAT_SIMCMD_H
#define SKUAT_SIMCMD_H

#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct call;
struct json;
struct json_node;

#define SIMCMD_COUNTS_MAX   64 /* numbers of workers; arbitrary, as are the next two */
#define SIMCMD_VARIANTS_MAX 16
#define SIMCMD_RUNS_MAX	    10000

/* --- what was asked for --- */

/* A scheduler with its knobs set, under a name of its own: "steal-one". */
struct simcmd_variant {
	const char *name, *role;
	enum sim_scheduler scheduler;
	void (*set)(struct sim_config *config); /* NULL: as the options say */
};

/* The work, under the name it was asked for; memory that its configuration points to. */
struct simcmd_load {
	char name[96];
	char about[160];   /* in words */
	const char *unit;  /* what a tick is: "ns", or "ticks" */
	uint64_t recorded; /* ticks of a recorded run; 0: it is no recording */
	uint32_t recorded_workers;
	uint64_t *cost; /* of config.workload.dag, to be freed */
	uint32_t *first, *next;
	uint32_t *home; /* NULL: of no task is told where it begins */
	uint8_t *priority;
};

struct simcmd_plan {
	struct sim_config base; /* of every run; workers, seed and scheduler come later */
	struct simcmd_load load;
	unsigned variant_count, count_count;
	const struct simcmd_variant *variants[SIMCMD_VARIANTS_MAX];
	uint32_t counts[SIMCMD_COUNTS_MAX]; /* of workers */
	unsigned runs;
	uint64_t seed; /* of the first run; the next has the next */
	uint32_t *speeds;
	struct sim_stall *stalls;
};

/* Words of options as they were given; NULL: not at all. */
struct simcmd_options {
	const char *workers, *schedulers, *victim, *amount, *costs, *cost_file, *topology, *latency;
	const char *join, *lifelines, *speeds, *stall, *quota;
	const char *csv, *svg, *steps, *trace, *profile;
	uint64_t seed, runs, events;
	bool is_json, is_detail, is_list, has_priorities;
};

/*
 * All of these: ARGS_GO, or the exit status after a complaint.  `guilty` is the word on the command
 * line that is to be underlined.
 */
int simcmd_read_workers(const struct call *call, const char *word, struct simcmd_plan *plan);
int simcmd_read_variants(const struct call *call, const char *word, struct simcmd_plan *plan);
int simcmd_read_costs(const struct call *call, const char *word, struct sim_config *config);
int simcmd_read_topology(const struct call *call, const struct simcmd_options *options,
			 struct sim_config *config);
int simcmd_read_knobs(const struct call *call, const struct simcmd_options *options,
		      struct simcmd_plan *plan);
int simcmd_read_load(const struct call *call, const char *word, struct simcmd_plan *plan);

const struct simcmd_variant *simcmd_variant(unsigned i); /* NULL: there is no i-th */
const struct simcmd_variant *simcmd_find_variant(const char *name);
void simcmd_list(void);
void simcmd_list_loads(void);

/* "1000", "1e6", "10^6", "64k", "10M": false if it is none of these, or above `most`. */
bool simcmd_number(const char *word, size_t length, uint64_t most, uint64_t *number);
/* "0.25", "1" in parts of `whole`, at most `most` of them. */
bool simcmd_fraction(const char *word, size_t length, uint64_t whole, uint64_t most,
		     uint64_t *number);

/* Costs that this machine is supposed to have, in ns; the flat machine. */
void simcmd_usual_costs(struct sim_config *config);

/* --- files --- */

/* All of a file, "-" for standard input; to be freed.  NULL after a message. */
char *simcmd_read_file(const char *path, size_t *size);

/*
 * A file appears when it is whole, "-" is standard output.  A writer that returns false has said
 * why, and nothing appears.  False after a message.
 */
typedef bool simcmd_writer(FILE *to, const void *what);
bool simcmd_write_file(const char *path, simcmd_writer *writer, const void *what);

/* --- work that is a dag --- */

struct simcmd_dag {
	uint64_t *cost;
	struct {
		uint32_t from, to;
	} * edges;
	uint32_t count, room;
	size_t edge_count, edge_room;
	bool is_short; /* of memory: what was added since is not there */
};

uint32_t simcmd_dag_node(struct simcmd_dag *dag, uint64_t cost);
void simcmd_dag_edge(struct simcmd_dag *dag, uint32_t from, uint32_t to);
/* Gives it to the plan and drops the rest; false: not enough memory, and it was said. */
bool simcmd_dag_finish(struct simcmd_dag *dag, struct simcmd_plan *plan);
void simcmd_dag_drop(struct simcmd_dag *dag);

/* False after a message on standard error. */
bool simcmd_dag_file(const char *path, struct simcmd_plan *plan);
bool simcmd_trace_file(const char *path, struct simcmd_plan *plan);
bool simcmd_profile_file(const char *path, struct simcmd_plan *plan);

/*
 * Programs of bench/work as dags.  A unit of work is what the program counts: a call, a square
 * looked at, a comparison; each costs `unit` 1024ths of a tick.  Parts too small to be stolen are
 * one node.
 */
enum simcmd_program {
	SIMCMD_FIB,
	SIMCMD_QUEENS,
	SIMCMD_SORT,
	SIMCMD_PROGRAMS
};
uint64_t simcmd_program_units(enum simcmd_program program, uint64_t size);
void simcmd_program_dag(enum simcmd_program program, uint64_t size, uint64_t unit,
			struct simcmd_dag *dag);

/* --- running --- */

/* What is shown of a run, in X(NAME, key): in the order of JSON and CSV. */
#define SIMCMD_METRICS(X)               \
	X(MAKESPAN, makespan)           \
	X(SPEEDUP, speedup)             \
	X(EFFICIENCY, efficiency)       \
	X(DISTANCE, over_work)          \
	X(FACTOR, span_factor)          \
	X(BOUND, over_bound)            \
	X(STEALS, steals)               \
	X(STOLEN, stolen)               \
	X(TRIES, tries)                 \
	X(FAILED, failed)               \
	X(MESSAGES, messages)           \
	X(SENDS, sends)                 \
	X(LIFELINES, lifelines)         \
	X(PARKS, parks)                 \
	X(WAKES, wakes)                 \
	X(USED, used_workers)           \
	X(QUEUE, peak_queue)            \
	X(LIVE, peak_tasks)             \
	X(BUSY, busy)                   \
	X(OVERHEAD, overhead)           \
	X(SEARCHING, searching)         \
	X(WAITING, waiting)             \
	X(PARKED, parked)               \
	X(BLOCKED, blocked)             \
	X(SOJOURN, time_in_system)      \
	X(URGENT_MEAN, urgent_mean_end) \
	X(URGENT_LAST, urgent_last_end) \
	X(NORMAL_MEAN, normal_mean_end) \
	X(NORMAL_LAST, normal_last_end) \
	X(LOW_MEAN, low_mean_end)       \
	X(LOW_LAST, low_last_end)       \
	X(EVENTS, events)               \
	X(MEMORY, simulator_bytes)

enum simcmd_metric {
#define SIMCMD_METRIC_NUMBER(NAME, key) SIMCMD_##NAME,
	SIMCMD_METRICS(SIMCMD_METRIC_NUMBER)
#undef SIMCMD_METRIC_NUMBER
	SIMCMD_METRIC_COUNT
};

extern const char *const simcmd_metric_keys[SIMCMD_METRIC_COUNT];

/* Mean, and half the width of its 95 % interval; less than 0: not known. */
struct simcmd_spread {
	double mean, half;
	double least, most; /* of single runs */
};

/* All runs of all variants with all numbers of workers. */
struct simcmd_sweep {
	const struct simcmd_plan *plan;
	struct sim_result *results; /* [variant][count][run] */
	struct sim_error error;	    /* of the first that failed, in that order */
};

/*
 * Run everything on our own pool.  ARGS_GO, or the exit status after a message.  To be dropped in
 * any case.
 */
int simcmd_sweep_run(struct simcmd_sweep *sweep, const struct simcmd_plan *plan);
void simcmd_sweep_drop(struct simcmd_sweep *sweep);

/* The configuration of one run. */
struct sim_config simcmd_config(const struct simcmd_plan *plan, unsigned variant, unsigned count,
				unsigned run);
const struct sim_result *simcmd_result(const struct simcmd_sweep *sweep, unsigned variant,
				       unsigned count, unsigned run);
double simcmd_value(const struct sim_result *result, uint32_t workers, enum simcmd_metric metric);
struct simcmd_spread simcmd_spread(const struct simcmd_sweep *sweep, unsigned variant,
				   unsigned count, enum simcmd_metric metric);
struct simcmd_spread simcmd_spread_of(const double *values, unsigned count);

/* --- showing --- */

/* "1.23 ms" for ns, "12.3k" for anything else. */
void simcmd_ticks(char *text, size_t size, double ticks, const char *unit);
void simcmd_count(char *text, size_t size, double count);

void simcmd_text(const struct simcmd_sweep *sweep, bool is_detail);
void simcmd_json(const struct simcmd_sweep *sweep);
void simcmd_json_costs(struct json *json, const struct sim_costs *costs, unsigned levels);
simcmd_writer simcmd_csv, simcmd_svg; /* of a struct simcmd_sweep */

/* One run with every step of it into a file; ARGS_GO, or the exit status after a message. */
int simcmd_steps(const struct simcmd_plan *plan, const char *path);

/* --- a run of skua bench --- */

struct simcmd_bench {
	char *bytes;
	size_t size;
	const char *file;
	const struct json_node *kernels; /* an array */
	void *tree;
};

/* False after a message. */
bool simcmd_bench_read(struct simcmd_bench *bench, const char *file);
void simcmd_bench_drop(struct simcmd_bench *bench);
/* A row, and the first of them; problem NULL, workers 0: any. */
bool simcmd_bench_is(const struct json_node *row, const char *name, const char *problem,
		     unsigned workers);
const struct json_node *simcmd_bench_row(const struct simcmd_bench *bench, const char *name,
					 const char *problem, unsigned workers);
double simcmd_bench_number(const struct json_node *row, const char *key); /* 0: it is not there */
double simcmd_bench_figure(const struct json_node *row, const char *name, const char *variant);
/* What it tells of costs, in ticks of which a nanosecond has so many. */
void simcmd_bench_costs(const struct simcmd_bench *bench, double ticks, struct sim_costs *costs);

/* --- `skua sim bound`, `skua sim calibrate` --- */

int simcmd_bound(const struct call *call, struct simcmd_plan *plan,
		 const struct simcmd_options *options);
int simcmd_calibrate(const struct call *call, struct simcmd_plan *plan,
		     const struct simcmd_options *options);

int simcmd_no_memory(void); /* says so; STATUS_FAULT */

#endif
