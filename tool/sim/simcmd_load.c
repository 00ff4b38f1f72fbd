/* SPDX-License-Identifier: MIT */
/* simcmd_load.c — the work to simulate, as named on the command line: tree:depth=20,leaf=1000 */
#include "args.h"
#include "output.h"
#include "sim/simcmd.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What a word such as tree:20,leaf=50 may set. */
enum load_key {
	KEY_COUNT,
	KEY_LEAF,
	KEY_INNER,
	KEY_AFTER,
	KEY_DEPTH,
	KEY_FAN,
	KEY_DEGREE,
	KEY_JITTER,
	KEY_LAW,
	KEY_GRAIN,
	KEY_TREE,
	KEY_SIZE,
	KEY_LOAD,
	KEY_SERVICE,
	KEY_LENGTH,
	KEY_LEAST,
	KEY_NONE,
};

static const char *const key_words[] = { "tasks",  "leaf",    "inner",	"after", "depth", "fan",
					 "degree", "jitter",  "law",	"grain", "tree",  "size",
					 "load",   "service", "length", "least" };

#define BIT(key) (1u << (key))
#define TREE_KEYS                                                                          \
	(BIT(KEY_DEPTH) | BIT(KEY_FAN) | BIT(KEY_LEAF) | BIT(KEY_INNER) | BIT(KEY_AFTER) | \
	 BIT(KEY_JITTER))

/* A kind of work.  The first value of its word may stand alone: fib:40. */
struct load_kind {
	const char *name, *role;
	enum sim_model model;
	enum sim_work work;
	enum load_key first;
	unsigned keys;
	const char *usual; /* values as if they had been written */
	int program;	   /* 1 + enum simcmd_program; 0: none */
};

static const struct load_kind kinds[] = {
	{ "loop", "tasks of uneven cost, all with worker 0", SIM_TASKS, SIM_WORK_LOOP, KEY_LAW,
	  BIT(KEY_COUNT) | BIT(KEY_LEAF) | BIT(KEY_LAW) | BIT(KEY_GRAIN),
	  "exponential,tasks=20000,leaf=1000", 0 },
	{ "bag", "tasks of equal cost, all with worker 0", SIM_TASKS, SIM_WORK_BAG, KEY_COUNT,
	  BIT(KEY_COUNT) | BIT(KEY_LEAF) | BIT(KEY_GRAIN), "20000,leaf=1000", 0 },
	{ "tree", "forks in fan children, and joins", SIM_TASKS, SIM_WORK_TREE, KEY_DEPTH,
	  TREE_KEYS, "14,fan=2,leaf=1000,inner=100,after=100", 0 },
	{ "uts", "an unbalanced tree, as in skua bench", SIM_TASKS, SIM_WORK_UTS, KEY_TREE,
	  BIT(KEY_TREE) | BIT(KEY_LEAF) | BIT(KEY_INNER) | BIT(KEY_AFTER),
	  "hybrid,leaf=200,inner=200", 0 },
	{ "layers", "a random dag of layers of fan tasks", SIM_TASKS, SIM_WORK_LAYERS, KEY_COUNT,
	  BIT(KEY_COUNT) | BIT(KEY_LEAF) | BIT(KEY_FAN) | BIT(KEY_DEGREE) | BIT(KEY_JITTER),
	  "20000,leaf=1000,fan=200,degree=2,jitter=0.5", 0 },
	{ "fib", "calls for a Fibonacci number, each a task", SIM_TASKS, SIM_WORK_DAG, KEY_SIZE,
	  BIT(KEY_SIZE) | BIT(KEY_LEAF), "32,leaf=2", 1 + SIMCMD_FIB },
	{ "queens", "queens on a board, every placement a task", SIM_TASKS, SIM_WORK_DAG, KEY_SIZE,
	  BIT(KEY_SIZE) | BIT(KEY_LEAF), "10,leaf=1", 1 + SIMCMD_QUEENS },
	{ "sort", "merge sort in four parts with parallel merges", SIM_TASKS, SIM_WORK_DAG,
	  KEY_SIZE, BIT(KEY_SIZE) | BIT(KEY_LEAF), "1M,leaf=3", 1 + SIMCMD_SORT },
	{ "steps", "unit tasks in synchronous steps, a model of theory", SIM_STEPS, SIM_WORK_BAG,
	  KEY_COUNT, BIT(KEY_COUNT), "1M", 0 },
	{ "shares", "divisible work with latency, a model of theory", SIM_SHARES, SIM_WORK_BAG,
	  KEY_COUNT, BIT(KEY_COUNT) | BIT(KEY_LEAST), "100M", 0 },
	{ "open", "tasks that arrive for ever; the time each is in the system", SIM_OPEN,
	  SIM_WORK_BAG, KEY_LOAD, BIT(KEY_LOAD) | BIT(KEY_SERVICE) | BIT(KEY_LENGTH),
	  "0.9,length=2000", 0 },
};

#define SHARES_LATENCY 100 /* ticks; the model is about nothing else */
#define KIND_COUNT     (sizeof(kinds) / sizeof(*kinds))

void simcmd_list_loads(void)
{
	out("workloads, with what they are unless told otherwise\n");
	for (unsigned i = 0; i < KIND_COUNT; i++)
		out("  %-14s%s\n  %-14s%s:%s\n", kinds[i].name, kinds[i].role, "", kinds[i].name,
		    kinds[i].usual);
	out("  %-14s%s\n", "dag:FILE", "tasks and what they wait for, a line each");
}

/* One value, "depth=20", split. */
struct load_value {
	enum load_key key;
	const char *word;
	size_t length;
};

/* Whole numbers that a key takes; least above most: it takes no whole number. */
struct load_range {
	uint64_t least, most;
};

static struct load_range range_of(const struct load_kind *kind, enum load_key key)
{
	static const uint64_t sizes[] = {
		[SIMCMD_FIB] = 60, [SIMCMD_QUEENS] = 14, [SIMCMD_SORT] = 1000000000
	};

	switch (key) {
	case KEY_COUNT:
		return (struct load_range){ 1,
					    kind->model == SIM_TASKS ? SIM_TASKS_MAX : 1ull << 50 };
	case KEY_LEAF:
	case KEY_INNER:
	case KEY_AFTER:
		return (struct load_range){ 0, SIM_TICKS_MAX };
	case KEY_DEPTH:
		return (struct load_range){ 0, 1000000 };
	case KEY_FAN:
	case KEY_DEGREE:
		return (struct load_range){ 1, 1000000 };
	case KEY_GRAIN:
	case KEY_LENGTH:
		return (struct load_range){ 1, 1000000000 };
	case KEY_SIZE:
		return (struct load_range){ 1, kind->program ? sizes[kind->program - 1] : 1 };
	case KEY_SERVICE:
	case KEY_LEAST:
		return (struct load_range){ 1, SIM_TICKS_MAX };
	default:
		return (struct load_range){ 1, 0 };
	}
}

static bool set_number(const struct load_kind *kind, const struct load_value *value, uint64_t *to)
{
	struct load_range range = range_of(kind, value->key);

	return simcmd_number(value->word, value->length, range.most, to) && *to >= range.least;
}

static bool set_small(const struct load_kind *kind, const struct load_value *value, uint32_t *to)
{
	uint64_t number;

	if (!set_number(kind, value, &number))
		return false;
	*to = (uint32_t)number;
	return true;
}

static bool set_fraction(const struct load_value *value, uint64_t whole, uint32_t *to)
{
	uint64_t number;

	if (!simcmd_fraction(value->word, value->length, whole, whole - 1, &number))
		return false;
	*to = (uint32_t)number;
	return true;
}

static bool set_law(const struct load_value *value, enum sim_law *law)
{
	for (unsigned i = 0; sim_law_name(i); i++) {
		if (strlen(sim_law_name(i)) == value->length &&
		    strncmp(sim_law_name(i), value->word, value->length) == 0) {
			*law = (enum sim_law)i;
			return true;
		}
	}
	return false;
}

static bool set_tree(const struct load_value *value, struct sim_uts *tree)
{
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)(value->length < 31 ? value->length : 31),
		 value->word);
	return sim_uts_named(name, tree);
}

/* What else is part of the work, but not of the configuration. */
struct load_rest {
	uint64_t size;
};

static bool set_value(const struct load_kind *kind, const struct load_value *value,
		      struct sim_config *config, struct load_rest *rest)
{
	struct sim_workload *work = &config->workload;

	switch (value->key) {
	case KEY_COUNT:
		return set_number(kind, value,
				  kind->model == SIM_TASKS ? &work->count : &config->work);
	case KEY_LEAF:
		return set_number(kind, value, &work->leaf);
	case KEY_INNER:
		return set_number(kind, value, &work->inner);
	case KEY_AFTER:
		return set_number(kind, value, &work->after);
	case KEY_DEPTH:
		return set_small(kind, value, &work->depth);
	case KEY_FAN:
		return set_small(kind, value, &work->fan);
	case KEY_DEGREE:
		return set_small(kind, value, &work->degree);
	case KEY_JITTER:
		return set_fraction(value, 1024, &work->jitter);
	case KEY_LAW:
		return set_law(value, &work->law);
	case KEY_GRAIN:
		return set_small(kind, value, &work->grain);
	case KEY_TREE:
		return set_tree(value, &work->uts);
	case KEY_SIZE:
		return set_number(kind, value, &rest->size);
	case KEY_LOAD:
		return set_fraction(value, 1000000, &config->load) && config->load;
	case KEY_SERVICE:
		return set_number(kind, value, &config->service);
	case KEY_LENGTH:
		config->warm_up = 0;
		return set_number(kind, value, &config->length);
	case KEY_LEAST:
		return set_number(kind, value, &config->least);
	case KEY_NONE:
		break;
	}
	return false;
}

/* Which key a part of the word is for; a value without a name is the kind's first. */
static struct load_value split_value(const struct load_kind *kind, const char *at, size_t length)
{
	size_t name = strcspn(at, "=,");

	if (name >= length)
		return (struct load_value){ kind->first, at, length };
	for (unsigned i = 0; i < KEY_NONE; i++) {
		if (strlen(key_words[i]) == name && strncmp(key_words[i], at, name) == 0 &&
		    kind->keys & BIT(i))
			return (struct load_value){ (enum load_key)i, at + name + 1,
						    length - name - 1 };
	}
	return (struct load_value){ KEY_NONE, at, length };
}

/* NULL, or the part that is wrong. */
static const char *set_values(const struct load_kind *kind, const char *values,
			      struct sim_config *config, struct load_rest *rest,
			      struct load_value *wrong)
{
	for (const char *at = values; at;) {
		size_t length = strcspn(at, ",");
		struct load_value value = split_value(kind, at, length);

		if (value.key == KEY_NONE || !set_value(kind, &value, config, rest)) {
			*wrong = value;
			return at;
		}
		at = at[length] ? at + length + 1 : NULL;
	}
	return NULL;
}

/* What a value may be, "tasks: 1..4294967295". */
static void print_allowed(const struct load_kind *kind, enum load_key key, char *text, size_t room)
{
	struct load_range range = range_of(kind, key);
	size_t used = (size_t)snprintf(text, room, "%s: ", key_words[key]);

	if (range.least <= range.most)
		snprintf(text + used, room - used, "%" PRIu64 "..%" PRIu64 "%s", range.least,
			 range.most, range.most == SIM_TICKS_MAX ? " ticks" : "");
	else if (key == KEY_JITTER || key == KEY_LOAD)
		snprintf(text + used, room - used, "%s below 1, such as 0.5",
			 key == KEY_LOAD ? "above 0 and" : "0 or more and");
	else if (key == KEY_TREE)
		snprintf(text + used, room - used, "the name of one, such as T3: skua-bench(1)");
	for (unsigned i = 0; key == KEY_LAW && sim_law_name(i) && used < room; i++)
		used += (size_t)snprintf(text + used, room - used, "%s%s", i ? ", " : "",
					 sim_law_name(i));
}

static int value_wrong(const struct call *call, const struct load_kind *kind, const char *word,
		       const char *part, const struct load_value *wrong)
{
	char hint[300], shown[60];
	size_t length = 0;

	snprintf(shown, sizeof(shown), "%.*s", (int)strcspn(part, ","), part);
	if (wrong->key != KEY_NONE) {
		char allowed[120];
		print_allowed(kind, wrong->key, allowed, sizeof(allowed));
		snprintf(hint, sizeof(hint), "expected %s; usual is %s:%s", allowed, kind->name,
			 kind->usual);
		return args_blame(call, word, hint, "%s: %s is out of range, or no value for it",
				  kind->name, text_clean(shown, 50).s);
	}
	length = (size_t)snprintf(hint, sizeof(hint), "%s takes", kind->name);
	for (unsigned i = 0; i < KEY_NONE; i++) {
		if (kind->keys & BIT(i) && length < sizeof(hint))
			length += (size_t)snprintf(hint + length, sizeof(hint) - length, " %s",
						   key_words[i]);
	}
	return args_blame(call, word, hint, "%s has no value '%s'", kind->name,
			  text_clean(shown, 50).s);
}

static int kind_unknown(const struct call *call, const char *word, const char *name)
{
	struct nearest nearest = { .word = name };
	char hint[96] = "'skua sim --list' names the workloads";

	for (unsigned i = 0; i < KIND_COUNT; i++)
		nearest_offer(&nearest, kinds[i].name);
	nearest_offer(&nearest, "dag");
	nearest_offer(&nearest, "bound");
	nearest_offer(&nearest, "calibrate");
	if (nearest.best)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.best);
	return args_blame(call, word, hint, "there is no workload '%s'", text_clean(name, 60).s);
}

static int make_program(const struct load_kind *kind, const struct load_rest *rest,
			struct simcmd_plan *plan)
{
	struct simcmd_dag dag = { 0 };

	simcmd_program_dag((enum simcmd_program)(kind->program - 1), rest->size,
			   1024 * plan->base.workload.leaf, &dag);
	return simcmd_dag_finish(&dag, plan) ? ARGS_GO : STATUS_FAULT;
}

static int set_load(const struct call *call, const struct load_kind *kind, const char *word,
		    const char *values, struct simcmd_plan *plan)
{
	struct load_rest rest = { 0 };
	struct load_value wrong;
	const char *part = NULL;

	plan->base.model = kind->model;
	plan->base.workload = (struct sim_workload){ .kind = kind->work };
	plan->load.unit = kind->model == SIM_TASKS ? "ns" : "ticks";
	set_values(kind, kind->usual, &plan->base, &rest, &wrong);
	if (values)
		part = set_values(kind, values, &plan->base, &rest, &wrong);
	if (part)
		return value_wrong(call, kind, word, part, &wrong);
	if (kind->model == SIM_OPEN)
		plan->base.warm_up = plan->base.length / 4 + 1;
	if (kind->model == SIM_SHARES && !plan->base.topology.latency[0])
		plan->base.topology.latency[0] = SHARES_LATENCY;
	snprintf(plan->load.name, sizeof(plan->load.name), "%s", word);
	snprintf(plan->load.about, sizeof(plan->load.about), "%s", kind->role);
	return kind->program ? make_program(kind, &rest, plan) : ARGS_GO;
}

int simcmd_read_load(const struct call *call, const char *word, struct simcmd_plan *plan)
{
	size_t length = strcspn(word, ":");
	const char *values = word[length] ? word + length + 1 : NULL;
	char name[32];

	snprintf(name, sizeof(name), "%.*s", (int)(length < 31 ? length : 31), word);
	if (strcmp(name, "dag") == 0 && values && *values)
		return simcmd_dag_file(values, plan) ? ARGS_GO : STATUS_FAULT;
	if (strcmp(name, "dag") == 0)
		return args_blame(call, word, "write it as dag:FILE", "the file is missing");
	for (unsigned i = 0; i < KIND_COUNT; i++) {
		if (strcmp(kinds[i].name, name) == 0)
			return set_load(call, &kinds[i], word, values, plan);
	}
	return kind_unknown(call, word, name);
}
