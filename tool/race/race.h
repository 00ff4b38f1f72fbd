/* SPDX-License-Identifier: MIT */
/* race.h — what was asked for, what a race gives, and the three forms in which it is shown */
#ifndef SKUAT_RACE_H
#define SKUAT_RACE_H

#include "bench/sample.h"
#include "race/shapes.h"

#define RACE_RIVALS_MAX	 16
#define RACE_COUNTS_MAX	 16
#define RACE_WORKERS_MAX 256
#define RACE_JOBS_MAX	 1000000

/* What the user asked for. */
struct race_plan {
	unsigned rival_count;
	const struct rival *rivals[RACE_RIVALS_MAX];
	unsigned counts; /* how many numbers of workers */
	unsigned workers[RACE_COUNTS_MAX];
	uint32_t jobs; /* 0: as many as the shape thinks */
	unsigned repeat;
	uint64_t seed;
	/* Called before the first round and after each, for people who wait. */
	void (*progress)(const char *shape, unsigned done, unsigned rounds);
};

/* X(NAME, key): what is read in each round, in the order of the CSV's columns. */
#define RACE_READINGS(X)                     \
	X(SECONDS, seconds)                  \
	X(SPEEDUP, speedup)                  \
	X(UTILISATION, utilisation)          \
	X(LOCK_WAITS, lock_waits)            \
	X(CAS_FAILURES, cas_failures)        \
	X(STEALS, steals)                    \
	X(FAILED_STEALS, failed_steals)      \
	X(PARKS, parks)                      \
	X(VOLUNTARY, voluntary_switches)     \
	X(INVOLUNTARY, involuntary_switches) \
	X(CPU, cpu_s)                        \
	X(IMBALANCE, imbalance)

enum race_reading {
#define RACE_READING_NUMBER(NAME, key) RACE_##NAME,
	RACE_READINGS(RACE_READING_NUMBER)
#undef RACE_READING_NUMBER
	RACE_READINGS_COUNT
};

extern const char *const race_reading_keys[RACE_READINGS_COUNT];

/* One pool, or the serial loop: all its rounds. */
struct race_row {
	const struct rival *rival; /* NULL: the serial loop */
	unsigned workers;
	const char *failed;   /* why it did not run; NULL: it did */
	struct verdict worst; /* the first run that was not right, else the last */
	bool check;	      /* every run was right */
	/* One value a round; no values: this row does not have that. */
	struct sample readings[RACE_READINGS_COUNT];
};

struct race_result {
	const struct shape *shape;
	uint32_t jobs;
	unsigned rounds, row_count;
	struct race_row *rows; /* the serial loop first */
};

/*
 * Race all rivals of a plan with one shape.  False: not enough memory.  What could not be opened is
 * told in its row.  To be freed by race_free.
 */
bool race_run(const struct race_plan *plan, const struct shape *shape, struct race_result *result);
void race_free(struct race_result *result);

const char *race_row_name(const struct race_row *row); /* of the rival, or "serial" */
double race_median(const struct race_row *row, enum race_reading reading);

/* For people. */
void race_text(const struct race_result *result, unsigned workers);
void race_text_end(const struct race_plan *plan, bool is_right);

struct json;
void race_json(struct json *json, const struct race_result *result);

void race_csv_title(void);
void race_csv(const struct race_result *result);

/* The plan as told on the command line; ARGS_GO, or the exit status after a complaint. */
struct call;
int race_read_rivals(const struct call *call, const char *word, struct race_plan *plan);
int race_read_workers(const struct call *call, const char *word, struct race_plan *plan);
int race_read_shapes(const struct call *call, const struct shape **chosen, unsigned *count);

/* Name all shapes and rivals on standard output. */
void race_list(void);

#endif
