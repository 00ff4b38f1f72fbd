/* SPDX-License-Identifier: MIT */
/* simcmd_dagfile.c — a dag from a text file: a line for each task and what it waits for */
#include "sim/simcmd.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 *	# a diamond
 *	read    200
 *	left   1000  after read
 *	right  1500  after read
 *	write   300  after left right
 *
 * A name may be used before its own line.  What is behind # is not read.  A task that waits for
 * nothing is with worker 0 at the start, or where it is put:
 *
 *	read    200  on 3
 *
 * Behind the cost may stand its priority, normal unless told:
 *
 *	left   1000  urgent after read
 */
#define NAME_BYTES 64
#define CYCLE_MAX  8 /* names of one that are shown */

struct name {
	const char *text;
	uint32_t length, line; /* line: of its task; 0: not seen yet */
	uint32_t home;	       /* SIM_NONE: not told */
	uint8_t priority;      /* enum sim_priority */
	uint32_t met;	       /* the line it is first on */
};

/* The file, and names by their number; `table` finds a number by its name. */
struct dag_text {
	const char *path;
	const char *at, *end;
	unsigned line;
	struct simcmd_dag dag;
	struct name *names; /* one for each node */
	size_t name_room;
	uint32_t *table; /* 1 + number; 0: free */
	size_t table_size;
	bool has_priorities;
};

/* A word of a line. */
struct word {
	const char *text;
	size_t length;
};

static bool refuse_line(const struct dag_text *text, unsigned line, const char *what,
			struct word word)
{
	char shown[NAME_BYTES + 1];

	snprintf(shown, sizeof(shown), "%.*s",
		 (int)(word.length < NAME_BYTES ? word.length : NAME_BYTES), word.text);
	fprintf(stderr,
		"skua sim: %s:%u: %s%s%s\n"
		"    a line is a name, its cost in ticks, a priority if it has one, and what it waits "
		"for: c 100 low after a b\n",
		text_clean(text->path, 200).s, line, what, word.length ? " " : "",
		text_clean(shown, NAME_BYTES).s);
	return false;
}

static struct word next_word(struct dag_text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t' || *text->at == '\r'))
		text->at++;
	if (text->at < text->end && *text->at == '#') {
		const char *line_end = memchr(text->at, '\n', (size_t)(text->end - text->at));
		text->at = line_end ? line_end : text->end;
	}
	const char *start = text->at;
	while (text->at < text->end && !memchr(" \t\r\n#", *text->at, 5))
		text->at++;
	return (struct word){ start, (size_t)(text->at - start) };
}

/* --- names --- */

static size_t hash_of(struct word word)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < word.length; i++)
		hash = (hash ^ (unsigned char)word.text[i]) * 0x100000001b3;
	return (size_t)(hash ^ hash >> 32);
}

static bool is_name(const struct name *name, struct word word)
{
	return name->length == word.length && memcmp(name->text, word.text, word.length) == 0;
}

static uint32_t *find_place(const struct dag_text *text, struct word word)
{
	size_t at = hash_of(word) & (text->table_size - 1);

	while (text->table[at] && !is_name(&text->names[text->table[at] - 1], word))
		at = (at + 1) & (text->table_size - 1);
	return &text->table[at];
}

/* At least half of the table is free. */
static bool grow_names(struct dag_text *text)
{
	size_t size = text->table_size ? 2 * text->table_size : 2048;
	uint32_t *table = calloc(size, sizeof(*table));
	struct name *names = realloc(text->names, size / 2 * sizeof(*names));

	if (names)
		text->names = names;
	if (!table || !names) {
		free(table);
		return false;
	}
	free(text->table);
	text->table = table;
	text->table_size = size;
	text->name_room = size / 2;
	for (uint32_t i = 0; i < text->dag.count; i++)
		*find_place(text, (struct word){ names[i].text, names[i].length }) = i + 1;
	return true;
}

/* The number of a name, a new one where it is new; UINT32_MAX: there is no memory. */
static uint32_t number_of(struct dag_text *text, struct word word)
{
	if (text->dag.count == text->name_room && !grow_names(text))
		return UINT32_MAX;
	uint32_t *place = find_place(text, word);
	if (!*place) {
		uint32_t number = simcmd_dag_node(&text->dag, 0);
		if (text->dag.is_short)
			return UINT32_MAX;
		text->names[number] = (struct name){ word.text, (uint32_t)word.length,
						     .home = SIM_NONE, .met = text->line };
		*place = number + 1;
	}
	return *place - 1;
}

/* --- lines --- */

static bool is_word(struct word word, const char *text)
{
	return word.length == strlen(text) && memcmp(word.text, text, word.length) == 0;
}

/* on 3: what is behind must be the end of the line. */
static bool read_home(struct dag_text *text, uint32_t node)
{
	struct word word = next_word(text);
	uint64_t home;

	if (!simcmd_number(word.text, word.length, SIM_WORKERS_MAX - 1, &home))
		return refuse_line(text, text->line,
				   "expected a worker, 0..16777215, behind 'on', not", word);
	text->names[node].home = (uint32_t)home;
	word = next_word(text);
	if (is_word(word, "after"))
		return refuse_line(text, text->line,
				   "only a task that waits for nothing can be 'on' a worker, not "
				   "one with",
				   word);
	return !word.length ||
	       refuse_line(text, text->line, "expected nothing behind the worker, not", word);
}

/* The word behind the cost; where that is a priority, the one behind it. */
static struct word read_priority(struct dag_text *text, uint32_t node)
{
	struct word word = next_word(text);

	for (unsigned i = 0; i < SIM_PRIORITY_COUNT; i++) {
		if (is_word(word, sim_priority_name(i))) {
			text->names[node].priority = (uint8_t)i;
			text->has_priorities = true;
			return next_word(text);
		}
	}
	return word;
}

static bool read_after(struct dag_text *text, uint32_t node)
{
	struct word word = read_priority(text, node);

	if (!word.length)
		return true;
	if (is_word(word, "on"))
		return read_home(text, node);
	if (!is_word(word, "after"))
		return refuse_line(text, text->line,
				   "expected urgent, normal, low, 'after' or 'on', not", word);
	for (unsigned count = 0;; count++) {
		word = next_word(text);
		if (!word.length)
			return count || refuse_line(text, text->line,
						    "there is nothing behind 'after'", word);
		if (word.length > NAME_BYTES)
			return refuse_line(text, text->line,
					   "a name has more than 64 bytes:", word);
		uint32_t before = number_of(text, word);
		if (before == UINT32_MAX)
			return simcmd_no_memory() == 0;
		simcmd_dag_edge(&text->dag, before, node);
	}
}

static bool read_line(struct dag_text *text)
{
	struct word name = next_word(text), cost;
	uint64_t ticks;

	if (!name.length)
		return true;
	if (name.length > NAME_BYTES)
		return refuse_line(text, text->line, "a name has more than 64 bytes:", name);
	cost = next_word(text);
	if (cost.length && *cost.text == '-')
		return refuse_line(text, text->line, "a cost is negative:", cost);
	if (!simcmd_number(cost.text, cost.length, SIM_TICKS_MAX, &ticks))
		return refuse_line(text, text->line,
				   "expected a cost, a whole number of ticks up to 2^48, behind",
				   name);
	uint32_t node = number_of(text, name);
	if (node == UINT32_MAX)
		return simcmd_no_memory() == 0;
	/* number_of has made it: NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Branch) */
	if (text->names[node].line)
		return refuse_line(text, text->line, "there was a task of this name before:", name);
	text->names[node].line = text->line;
	/* Likewise.  NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	text->dag.cost[node] = ticks;
	return read_after(text, node);
}

static bool read_lines(struct dag_text *text)
{
	for (text->line = 1; text->at < text->end; text->line++) {
		if (!read_line(text))
			return false;
		if (text->at < text->end && *text->at == '\n')
			text->at++;
	}
	for (uint32_t i = 0; i < text->dag.count; i++) {
		struct word word = { text->names[i].text, text->names[i].length };
		if (!text->names[i].line)
			return refuse_line(text, text->names[i].met,
					   "no line says what this costs:", word);
	}
	if (!text->dag.count)
		return refuse_line(text, 1, "there is no task in it", (struct word){ "", 0 });
	return true;
}

/* --- circles --- */

/* Nodes that can never begin have waits[] above 0 at the end; how many there are. */
static uint32_t count_waiting(const struct sim_dag *dag, uint32_t *waits, uint32_t *ready)
{
	uint32_t have = 0;

	for (uint32_t e = 0; e < dag->first[dag->count]; e++)
		waits[dag->next[e]]++;
	for (uint32_t i = 0; i < dag->count; i++) {
		if (!waits[i])
			ready[have++] = i;
	}
	for (uint32_t done = 0; done < have; done++) {
		for (uint32_t e = dag->first[ready[done]]; e < dag->first[ready[done] + 1]; e++) {
			if (--waits[dag->next[e]] == 0)
				ready[have++] = dag->next[e];
		}
	}
	return dag->count - have;
}

/* Each of those waits for another of them, back[]: going back long enough leads into a circle. */
static void tell_cycle(const struct dag_text *text, const struct sim_dag *dag,
		       const uint32_t *waits, uint32_t *back)
{
	uint32_t node = 0, start;

	for (uint32_t from = 0; from < dag->count; from++) {
		for (uint32_t e = dag->first[from]; waits[from] && e < dag->first[from + 1]; e++)
			back[dag->next[e]] = from;
	}
	while (!waits[node])
		node++;
	for (uint32_t i = 0; i < dag->count; i++)
		node = back[node];
	start = node;
	fprintf(stderr, "skua sim: %s: tasks wait for each other in a circle: ",
		text_clean(text->path, 200).s);
	for (unsigned i = 0; i < CYCLE_MAX && (!i || node != start); i++) {
		char shown[NAME_BYTES + 1];
		snprintf(shown, sizeof(shown), "%.*s", (int)text->names[node].length,
			 text->names[node].text);
		fprintf(stderr, "%s (line %u) after ", text_clean(shown, NAME_BYTES).s,
			text->names[node].line);
		node = back[node];
	}
	fprintf(stderr, "%s\n    a dag has no circle: take one of them out behind an 'after'\n",
		node == start ? "itself again" : "...");
}

static bool check_cycles(const struct dag_text *text, const struct sim_dag *dag)
{
	uint32_t *waits = calloc(dag->count, sizeof(*waits));
	uint32_t *other = calloc(dag->count, sizeof(*other));
	bool is_good = waits && other;

	if (!is_good) {
		simcmd_no_memory();
	} else if (count_waiting(dag, waits, other)) {
		tell_cycle(text, dag, waits, other);
		is_good = false;
	}
	free(waits);
	free(other);
	return is_good;
}

/* Homes and priorities of all tasks for the plan; home not told: worker 0. */
static bool give_homes(const struct dag_text *text, uint32_t count, struct simcmd_plan *plan)
{
	struct simcmd_load *load = &plan->load;

	load->home = malloc(count * sizeof(*load->home));
	load->priority = text->has_priorities ? malloc(count) : NULL;
	if (!load->home || (text->has_priorities && !load->priority))
		return simcmd_no_memory() == 0;
	for (uint32_t i = 0; i < count; i++) {
		load->home[i] = text->names[i].home;
		if (load->priority)
			load->priority[i] = text->names[i].priority;
	}
	plan->base.workload.home = load->home;
	plan->base.workload.priority = load->priority;
	return true;
}

bool simcmd_dag_file(const char *path, struct simcmd_plan *plan)
{
	size_t size;
	char *bytes = simcmd_read_file(path, &size);
	struct dag_text text = { .path = path, .at = bytes, .end = bytes ? bytes + size : NULL };
	bool is_good = bytes && read_lines(&text);

	if (is_good)
		is_good = simcmd_dag_finish(&text.dag, plan) &&
			  check_cycles(&text, &plan->base.workload.dag) &&
			  give_homes(&text, plan->base.workload.dag.count, plan);
	simcmd_dag_drop(&text.dag);
	free(text.names);
	free(text.table);
	free(bytes);
	if (!is_good)
		return false;
	plan->base.model = SIM_TASKS;
	plan->load.unit = "ns";
	snprintf(plan->load.name, sizeof(plan->load.name), "dag");
	snprintf(plan->load.about, sizeof(plan->load.about), "the tasks of a file");
	return true;
}
