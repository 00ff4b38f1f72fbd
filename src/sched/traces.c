/* SPDX-License-Identifier: MIT */
/* traces.c — the trace of a pool: begun, ended, written; names and marks of the program */
#include "base/alloc.h"
#include "base/atomic.h"
#include "base/diag.h"
#include "os/clock.h"
#include "sched/tracing.h"
#include "sched/watch.h"
#include "trace/namebook.h"
#include "trace/tracewrite.h"

#include <skua/error.h>
#include <skua/trace.h>
#include <skua/version.h>

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/*
 * One lock for all that is rare: begin, end, write, marks from outside, the list of traces.
 * Workers never take it: they look at their `tracer`, which stays where it is, and may be
 * written to, until the pool is closed.  So a trace that is ended and begun again goes on in the
 * same rings, from a later number on; larger ones are made beside them, and the old ones kept.
 *
 * Unmodelled: a lock, and one pointer for each worker; the rings are explored by
 * tests/model/model_evring.c.
 */
#define RECORDS_USUAL ((size_t)1 << 16)
#define RECORDS_LEAST ((size_t)16)
#define RECORDS_MOST  ((size_t)1 << 26)
#define TEXT_BYTES    512
#define WHAT_TO_TRY   "name a file in a folder that may be written to"

/* Rings of one size, for each place of the pool and, behind, for other threads. */
struct tracer_set {
	struct tracer_set *older;
	size_t records;
	unsigned count;
	struct skuai_stackmem memory; /* of the events */
	uint64_t *first;	      /* number of the first event that counts, of each */
	struct skuai_tracer tracers[];
};

struct skuai_traces {
	struct skua_pool *pool;
	struct skuai_traces *next; /* of all */
	struct tracer_set *set;	   /* the newest */
	bool is_on;
	bool is_environments; /* begun by SKUA_TRACE */
	bool must_write;      /* to path, at the end */
	bool is_elsewhere;    /* it was written, but not to path */
	bool is_foreseen;     /* that it cannot be written: whoever set SKUA_TRACE knows */
	struct skuai_trace_header header;
	char path[SKUAI_TRACE_PATH_ROOM];
	struct skuai_trace_before before; /* what stood there when it was begun */
	char told[TEXT_BYTES];		  /* what came of writing it */
};

static struct skuai_lock traces_lock;
static struct skuai_traces *traces_list;
static _Atomic uint32_t traces_on;  /* how many; a hint for who has a mark to make */
static unsigned environment_pools;  /* that SKUA_TRACE was for */
static char error_text[TEXT_BYTES]; /* the last that went wrong */
static int error_code;

void skuai_traces_lock(void)
{
	skuai_lock_take(&traces_lock);
}

void skuai_traces_unlock(void)
{
	skuai_lock_give(&traces_lock);
}

/* --- errors --- */

__attribute__((format(printf, 2, 3))) static int trace_fail(int code, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(error_text, sizeof(error_text), format, list);
	va_end(list);
	error_code = code;
	return code;
}

int skua_trace_error(char *text, size_t room)
{
	skuai_lock_take(&traces_lock);
	int code = error_code;
	if (text && room)
		snprintf(text, room, "%s", code ? error_text : "");
	skuai_lock_give(&traces_lock);
	return code;
}

/* --- rings --- */

static void set_free(struct tracer_set *set)
{
	while (set) {
		struct tracer_set *older = set->older;
		skuai_stackmem_unmap(&set->memory);
		skuai_free(set->first);
		skuai_free(set);
		set = older;
	}
}

static struct tracer_set *set_make(unsigned count, size_t records)
{
	struct tracer_set *set = skuai_alloc_aligned(
		1, sizeof(*set) + count * sizeof(set->tracers[0]), SKUAI_LINE);

	if (!set)
		return NULL;
	set->first = skuai_alloc(count, sizeof(*set->first));
	if (!set->first ||
	    skuai_stackmem_map(&set->memory, count * records * sizeof(struct skuai_event))) {
		set_free(set);
		return NULL;
	}
	set->records = records;
	set->count = count;
	for (unsigned i = 0; i < count; i++) {
		struct skuai_evring *ring = &set->tracers[i].ring;
		ring->events = (struct skuai_event *)set->memory.base + i * records;
		ring->mask = records - 1;
	}
	return set;
}

/* --- begin --- */

static struct skuai_traces *traces_of(struct skua_pool *pool)
{
	struct skuai_traces *traces = pool->traces;

	if (traces || !(traces = skuai_alloc(1, sizeof(*traces))))
		return traces;
	traces->pool = pool;
	traces->next = traces_list;
	traces_list = traces;
	pool->traces = traces;
	return traces;
}

static void write_unwritten(void);
static void write_at_bug(void);

static size_t records_of(size_t wish)
{
	size_t records = RECORDS_LEAST;

	while (records < (wish ? wish : RECORDS_USUAL))
		records *= 2;
	return records;
}

static void fill_header(struct skuai_traces *traces)
{
	struct timespec wall;

	traces->header = (struct skuai_trace_header){ .process = (uint64_t)getpid() };
	clock_gettime(CLOCK_REALTIME, &wall);
	traces->header.start_wall_ns = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec;
	skuai_trace_moment(&traces->header.start_ns, &traces->header.start_ticks);
}

/* Under the lock. */
static int traces_begin(struct skua_pool *pool, size_t wish, const char *path)
{
	struct skuai_traces *traces = traces_of(pool);
	size_t records = records_of(wish);

	if (!traces)
		return SKUA_ENOMEM;
	if (traces->is_on)
		return SKUA_EBUSY;
	if (!traces->set || traces->set->records != records) {
		struct tracer_set *set = set_make(pool->count + 1, records);
		if (!set)
			return SKUA_ENOMEM;
		set->older = traces->set;
		traces->set = set;
	}
	traces->is_on = true;
	traces->must_write = path != NULL;
	traces->told[0] = '\0';
	snprintf(traces->path, sizeof(traces->path), "%s", path ? path : "");
	skuai_trace_look(traces->path, &traces->before);
	fill_header(traces);
	for (unsigned i = 0; i < traces->set->count; i++)
		/* order traces.first.1: relaxed, a number; what comes in between is of an old time
		 * and left out by that */
		traces->set->first[i] = skua_load(&traces->set->tracers[i].ring.written, relaxed);
	for (unsigned i = 0; i < pool->count; i++)
		/* order traces.begin.1: release, pairs tracing.of.1; the ring */
		skua_store(&pool->workers[i].tracer, &traces->set->tracers[i], release);
	skuai_eyes_set(pool, SKUAI_EYE_TRACE, true);
	skua_add(&traces_on, 1, relaxed); /* order traces.on.1: relaxed, a hint */
	return SKUA_OK;
}

int skua_trace_begin(struct skua_pool *pool, const struct skua_trace_options *options)
{
	static const struct skua_trace_options usual = { .size = sizeof(usual) };
	int error;

	if (!options)
		options = &usual;
	if (options->size < sizeof(*options) || options->records > RECORDS_MOST ||
	    (options->path && strlen(options->path) >= SKUAI_TRACE_PATH_ROOM))
		return SKUA_EINVAL;
	pool = skuai_pool_of(pool, &error);
	if (!pool)
		return error;
	int before = errno;
	skuai_lock_take(&traces_lock);
	error = traces_begin(pool, options->records, options->path);
	skuai_lock_give(&traces_lock);
	skuai_bug_hook(write_at_bug);
	errno = before;
	return error;
}

/* --- SKUA_TRACE --- */

/* With %p for the number of the process, and a number for each pool but the first.  False: it is
 * too long. */
static bool expand_path(const char *wish, unsigned number, char *path, size_t room)
{
	size_t used = 0;

	for (; *wish && used < room; wish++) {
		if (wish[0] == '%' && (wish[1] == 'p' || wish[1] == '%')) {
			int more = wish[1] == '%' ? snprintf(path + used, room - used, "%%")
						  : snprintf(path + used, room - used, "%ld",
							     (long)getpid());
			used += (size_t)more;
			wish++;
		} else {
			path[used++] = *wish;
		}
	}
	if (used < room && number > 1)
		used += (size_t)snprintf(path + used, room - used, ".%u", number);
	if (used >= room)
		return false;
	path[used] = '\0';
	return true;
}

/* How many events each ring of SKUA_TRACE holds; 0, as usual: not said, or no such number. */
static size_t records_wish(void)
{
	static bool is_told;
	const char *text = secure_getenv("SKUA_TRACE_RECORDS");
	size_t digits = text ? strspn(text, "0123456789") : 0;
	unsigned long wish = digits && digits <= 8 && !text[digits] ? strtoul(text, NULL, 10) : 0;

	if (!text || !*text || (wish >= 1 && wish <= RECORDS_MOST))
		return wish;
	trace_fail(SKUA_EINVAL, "SKUA_TRACE_RECORDS is not used: it is no whole number from 1 to "
				"67108864");
	if (!is_told) /* pools that follow say nothing new */
		skuai_warn("%s", error_text);
	is_told = true;
	return 0;
}

/* Said at once, not only when hours of work are done, and once.  Under the lock. */
static void foresee(struct skuai_traces *traces)
{
	static bool is_told;
	int refusal = skuai_trace_refusal(traces->path);

	traces->is_foreseen = refusal != 0;
	if (refusal && !is_told)
		skuai_warn("SKUA_TRACE: the trace of pool \"%s\" will not be in %.256s: %s; %s",
			   traces->pool->name, traces->path, strerror(refusal), WHAT_TO_TRY);
	is_told |= refusal != 0;
}

void skuai_traces_open(struct skua_pool *pool)
{
	const char *wish = secure_getenv("SKUA_TRACE");
	static bool will_write;
	char path[SKUAI_TRACE_PATH_ROOM];

	if (!wish || !*wish)
		return;
	int before = errno;
	skuai_lock_take(&traces_lock);
	int error = SKUA_EINVAL;
	if (expand_path(wish, ++environment_pools, path, sizeof(path)))
		error = traces_begin(pool, records_wish(), path);
	if (error) {
		trace_fail(error, "SKUA_TRACE: pool \"%s\" is not traced: %s", pool->name,
			   error == SKUA_EINVAL ? "the path is too long" : skua_strerror(error));
		skuai_warn("%s", error_text);
	} else {
		pool->traces->is_environments = true;
		foresee(pool->traces);
	}
	if (!error && !will_write)
		will_write = atexit(write_unwritten) == 0;
	skuai_lock_give(&traces_lock);
	skuai_bug_hook(write_at_bug);
	errno = before;
}

/* --- writing --- */

/* Behind a fact: what would end its line is no part of it. */
static void print_fact(char *facts, size_t room, const char *key, const char *value)
{
	size_t used = strlen(facts);

	snprintf(facts + used, room - used, "%s=%s\n", key, value);
	for (char *at = facts + used; *at; at++)
		if (*at == '\n' && at[1])
			*at = ' ';
}

static void print_facts(const struct skua_pool *pool, char *facts, size_t room)
{
	char number[24];

	facts[0] = '\0';
	print_fact(facts, room, "program", program_invocation_name);
	snprintf(number, sizeof(number), "%d.%d.%d", SKUA_VERSION_MAJOR, SKUA_VERSION_MINOR,
		 SKUA_VERSION_PATCH);
	print_fact(facts, room, "version", number);
	print_fact(facts, room, "pool", pool->name);
	snprintf(number, sizeof(number), "%u", pool->regular);
	print_fact(facts, room, "workers", number);
	snprintf(number, sizeof(number), "%u", pool->count - pool->regular);
	print_fact(facts, room, "spares", number);
	/* order traces.cpus.1: relaxed, a number */
	snprintf(number, sizeof(number), "%u", skua_load(&pool->cpus, relaxed));
	print_fact(facts, room, "cpus", number);
}

/* The last so many ns in ticks, or what is all. */
static uint64_t window_ticks(const struct skuai_trace_header *header, int64_t last_ns)
{
	double ns = (double)(header->end_ns - header->start_ns);
	double ticks = (double)(header->end_ticks - header->start_ticks);

	if (last_ns <= 0 || ns <= (double)last_ns)
		return header->start_ticks;
	return header->end_ticks - (uint64_t)((double)last_ns * (ticks / ns));
}

/* What came of it, in words.  Under the lock. */
static int tell_written(struct skuai_traces *traces, int error, const struct skuai_trace_told *told)
{
	const char *why = told->system_error ? strerror(told->system_error) : skua_strerror(error);

	if (error) {
		trace_fail(error, "the trace of pool \"%s\" is not in %.256s: %s; %s",
			   traces->pool->name, told->path, why, WHAT_TO_TRY);
		snprintf(traces->told, sizeof(traces->told), "%s", error_text);
		return error;
	}
	snprintf(traces->told, sizeof(traces->told), "%llu events in %.256s, %llu older ones lost",
		 (unsigned long long)told->records, told->path, (unsigned long long)told->dropped);
	traces->is_elsewhere = traces->must_write && strcmp(told->path, traces->path) != 0;
	if (traces->is_elsewhere)
		trace_fail(SKUA_EBUSY,
			   "another process wrote %.200s meanwhile; this trace is in %.200s; "
			   "put %%p into SKUA_TRACE for the number of the process",
			   traces->path, told->path);
	return SKUA_OK;
}

/* Under the lock. */
static int traces_write(struct skuai_traces *traces, const char *path, int64_t last_ns,
			const struct skuai_trace_before *before)
{
	struct skuai_trace_told told = { 0 };
	struct skuai_trace_source source = { .header = traces->header };
	struct tracer_set *set = traces->set;
	char facts[1024];
	struct skuai_trace_part *parts = skuai_alloc(set->count, sizeof(*parts));

	if (!parts)
		return tell_written(traces, SKUA_ENOMEM, &told);
	if (traces->is_on)
		skuai_trace_moment(&source.header.end_ns, &source.header.end_ticks);
	source.from_ticks = window_ticks(&source.header, last_ns);
	source.header.flags = last_ns ? SKUAI_TRACE_IS_SNAPSHOT : 0;
	source.header.workers = set->count - 1;
	for (unsigned i = 0; i < set->count; i++)
		parts[i] = (struct skuai_trace_part){ &set->tracers[i].ring, set->first[i], i };
	/* order traces.outside.1: relaxed, under the lock */
	if (skua_load(&parts[set->count - 1].ring->written, relaxed) > set->first[set->count - 1]) {
		source.header.workers = set->count;
		source.header.flags |= SKUAI_TRACE_HAS_OUTSIDE;
	}
	print_facts(traces->pool, facts, sizeof(facts));
	source.facts = facts;
	source.parts = parts;
	source.part_count = source.header.workers;
	int error = skuai_trace_write_file(&source, path, before, &told);
	skuai_free(parts);
	return tell_written(traces, error, &told);
}

/* Under the lock. */
static int traces_end(struct skuai_traces *traces)
{
	struct skua_pool *pool = traces->pool;
	int error = SKUA_OK;

	skuai_eyes_set(pool, SKUAI_EYE_TRACE, false);
	for (unsigned i = 0; i < pool->count; i++)
		/* order traces.end.1: relaxed, who notices it later writes to a ring that stays */
		skua_store(&pool->workers[i].tracer, NULL, relaxed);
	skuai_trace_moment(&traces->header.end_ns, &traces->header.end_ticks);
	traces->is_on = false;
	skua_sub(&traces_on, 1, relaxed); /* order traces.on.2: relaxed, a hint */
	if (traces->must_write) {
		error = traces_write(traces, traces->path, 0, &traces->before);
		bool is_news = error ? !traces->is_foreseen : traces->is_elsewhere;
		if (is_news && traces->is_environments)
			skuai_warn("SKUA_TRACE: %s", error_text);
	}
	traces->must_write = false;
	return error;
}

int skua_trace_end(struct skua_pool *pool)
{
	int error;

	pool = skuai_pool_of(pool, &error);
	if (!pool)
		return error;
	int before = errno;
	skuai_lock_take(&traces_lock);
	error = SKUA_EINVAL;
	if (pool->traces && pool->traces->is_on && !pool->traces->is_environments)
		error = traces_end(pool->traces);
	skuai_lock_give(&traces_lock);
	errno = before;
	return error;
}

int skua_trace_write(struct skua_pool *pool, const char *path, int64_t last_ns)
{
	int error;

	if (!path || !*path || strlen(path) >= SKUAI_TRACE_PATH_ROOM || last_ns < 0)
		return SKUA_EINVAL;
	pool = skuai_pool_of(pool, &error);
	if (!pool)
		return error;
	int before = errno;
	skuai_lock_take(&traces_lock);
	error = SKUA_EINVAL;
	if (pool->traces && pool->traces->set)
		error = traces_write(pool->traces, path, last_ns, NULL);
	skuai_lock_give(&traces_lock);
	errno = before;
	return error;
}

/* --- the end of pools and processes --- */

void skuai_traces_finish(struct skua_pool *pool)
{
	int before = errno;

	skuai_lock_take(&traces_lock);
	if (pool->traces && pool->traces->is_on)
		traces_end(pool->traces);
	skuai_lock_give(&traces_lock);
	errno = before;
}

/* The program ends with pools that it did not close. */
static void write_unwritten(void)
{
	skuai_lock_take(&traces_lock);
	for (struct skuai_traces *traces = traces_list; traces; traces = traces->next)
		if (traces->is_on && traces->must_write)
			traces_end(traces);
	skuai_lock_give(&traces_lock);
}

/* A bug was found, and the program is about to be aborted. */
static void write_at_bug(void)
{
	if (!skuai_lock_try(&traces_lock))
		return; /* maybe by ourselves */
	for (struct skuai_traces *traces = traces_list; traces; traces = traces->next)
		if (traces->is_on && traces->must_write)
			traces_write(traces, traces->path, 0, &traces->before);
	skuai_lock_give(&traces_lock);
}

void skuai_traces_report(struct skua_pool *pool, FILE *file)
{
	skuai_lock_take(&traces_lock);
	if (pool->traces && pool->traces->told[0])
		fprintf(file, "trace: %s\n", pool->traces->told);
	if (error_code && (!pool->traces || strcmp(pool->traces->told, error_text) != 0))
		fprintf(file, "trace: %s\n", error_text);
	skuai_lock_give(&traces_lock);
}

static void traces_forget(struct skua_pool *pool)
{
	struct skuai_traces *traces = pool->traces;

	if (!traces)
		return;
	for (struct skuai_traces **link = &traces_list; *link; link = &(*link)->next)
		if (*link == traces) {
			*link = traces->next;
			break;
		}
	if (traces->is_on)
		skua_sub(&traces_on, 1, relaxed); /* order traces.on.3: relaxed, a hint */
	set_free(traces->set);
	skuai_free(traces);
	pool->traces = NULL;
}

void skuai_traces_close(struct skua_pool *pool)
{
	skuai_lock_take(&traces_lock);
	traces_forget(pool);
	skuai_lock_give(&traces_lock);
}

void skuai_traces_orphan(struct skua_pool *pool)
{
	traces_forget(pool); /* the lock is held across the fork */
}

/* --- names and marks --- */

uint32_t skua_trace_name(const char *text)
{
	return text ? skuai_name_of_text(text) : 0;
}

/* From a thread that is no worker: into every trace. */
static void mark_outside(enum skuai_trace_kind kind, uint32_t name, uint16_t peer, uint8_t detail)
{
	/* order traces.on.4: relaxed, a hint; the lock decides */
	if (!skua_load(&traces_on, relaxed))
		return;
	skuai_lock_take(&traces_lock);
	for (struct skuai_traces *traces = traces_list; traces; traces = traces->next)
		if (traces->is_on)
			skuai_tracer_put(&traces->set->tracers[traces->set->count - 1], kind, name,
					 peer, detail);
	skuai_lock_give(&traces_lock);
}

static void mark_here(enum skuai_trace_kind kind, uint32_t name, uint16_t peer, uint8_t detail)
{
	if (skuai_self)
		skuai_trace_more(skuai_self, kind, name, peer, detail);
	else
		mark_outside(kind, name, peer, detail);
}

void skua_trace_mark(uint32_t name, uint64_t value)
{
	mark_here(SKUAI_TRACE_MARK, name, (uint16_t)value, (uint8_t)(value >> 16));
}

void skua_trace_span_begin(uint32_t name)
{
	mark_here(SKUAI_TRACE_SPAN_BEGIN, name, SKUAI_TRACE_NOBODY, 0);
}

void skua_trace_span_end(uint32_t name)
{
	mark_here(SKUAI_TRACE_SPAN_END, name, SKUAI_TRACE_NOBODY, 0);
}
