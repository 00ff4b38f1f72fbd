/* SPDX-License-Identifier: MIT */
/* doctor_tree.c — packages, nodes, caches, cores and CPUs drawn as a tree */
#include "doctor/doctor.h"
#include "output.h"
#include "report.h"
#include "text.h"
#include "words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The CPUs are sorted by the groups they are in, outermost first; a group is then a stretch of that
 * list, and drawing it means to cut it into the stretches of the next level.
 *
 * Which level is outer is not always the same: a package may hold several nodes, and a node several
 * packages.  Fewer groups go outside.  Levels of which nothing is known are left out.
 *
 * What looks the same is said once: levels that hold the same CPUs share a line ("package = L3
 * cache"), and siblings that look alike do so ("L3 cache x 8"): cores always, others from three on.
 */
#define INDENT	    2
#define STEP	    3 /* columns from a level to the next */
#define ALIKE_LEAST 3 /* arbitrary; two are still easy to read */

enum kind {
	KIND_PACKAGE,
	KIND_NODE,
	KIND_CACHE,
	KIND_CORE,
	KIND_COUNT
};

struct item {
	const struct skua_cpu *cpu;
	int key[KIND_COUNT]; /* its group of each level, outermost first; 0 beyond the last */
	/* for each level at which a group starts here: */
	bool is_drawn[KIND_COUNT];
	struct item *like[KIND_COUNT]; /* where the next starts that is drawn with it */
};

struct tree {
	struct item *items, *end;
	unsigned *numbers;	     /* scratch, one for each CPU */
	enum kind kinds[KIND_COUNT]; /* of the levels, outermost first */
	unsigned levels;
	bool shows_capacity;			/* they differ */
	char prefix[STEP * 4 * KIND_COUNT + 1]; /* of lines; a step takes up to 4 bytes a column */
};

/* Alike groups, drawn as one. */
struct group {
	struct item *first;	  /* of the first of them */
	size_t cpus;		  /* in each */
	size_t alike;		  /* how many of them */
	unsigned level, sublevel; /* they are groups of these levels; the second is not */
	bool is_numbered;	  /* else the CPUs are those of several groups, and not told */
};

static int id_of(const struct skua_cpu *cpu, enum kind kind)
{
	switch (kind) {
	case KIND_PACKAGE:
		return cpu->package;
	case KIND_NODE:
		return cpu->node;
	case KIND_CACHE:
		return cpu->cache;
	case KIND_CORE:
	case KIND_COUNT:
		break;
	}
	return cpu->core;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *left = a, *right = b;

	for (unsigned i = 0; i < KIND_COUNT; i++)
		if (left->key[i] != right->key[i]) /* what is not known, -1, comes last */
			return (unsigned)left->key[i] < (unsigned)right->key[i] ? -1 : 1;
	return left->cpu->cpu < right->cpu->cpu ? -1 : 1;
}

static int compare_numbers(const void *a, const void *b)
{
	unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;

	return left < right ? -1 : left > right;
}

static void sort_items(struct tree *tree, const enum kind *kinds, unsigned levels)
{
	for (struct item *item = tree->items; item < tree->end; item++) {
		memset(item->key, 0, sizeof(item->key));
		for (unsigned level = 0; level < levels; level++)
			item->key[level] = id_of(item->cpu, kinds[level]);
	}
	qsort(tree->items, (size_t)(tree->end - tree->items), sizeof(struct item), compare_items);
}

/* Groups of this kind; 0 when nothing is known of any. */
static size_t count_groups(struct tree *tree, enum kind kind)
{
	size_t groups = 0;
	bool is_known = false;

	sort_items(tree, &kind, 1);
	for (const struct item *item = tree->items; item < tree->end; item++) {
		groups += item == tree->items || item->key[0] != item[-1].key[0];
		is_known |= item->key[0] >= 0;
	}
	return is_known ? groups : 0;
}

/* Choose the levels and sort the CPUs by them. */
static void sort_tree(struct tree *tree)
{
	size_t groups[KIND_COUNT];

	for (enum kind kind = 0; kind < KIND_COUNT; kind++) {
		size_t own = count_groups(tree, kind);
		unsigned at = tree->levels;
		if (!own)
			continue;
		for (; at > 0 && groups[at - 1] > own; at--) {
			groups[at] = groups[at - 1];
			tree->kinds[at] = tree->kinds[at - 1];
		}
		groups[at] = own;
		tree->kinds[at] = kind;
		tree->levels++;
	}
	sort_items(tree, tree->kinds, tree->levels);
	for (const struct item *item = tree->items; item < tree->end; item++)
		tree->shows_capacity |= item->cpu->capacity != tree->items->cpu->capacity;
}

/* CPUs of the group of that level that starts here, inside one that ends there. */
static size_t cut(const struct item *first, const struct item *end, unsigned level)
{
	const struct item *last = first + 1;

	while (last < end && last->key[level] == first->key[level])
		last++;
	return (size_t)(last - first);
}

/* Would these two stretches, of as many CPUs, be drawn alike but for the numbers? */
static bool is_alike(const struct tree *tree, const struct item *a, const struct item *b,
		     size_t cpus, unsigned level)
{
	for (size_t i = 0; i < cpus; i++, a++, b++) {
		if (a->cpu->capacity != b->cpu->capacity ||
		    a->cpu->cache_level != b->cpu->cache_level)
			return false;
		for (unsigned at = level; at < tree->levels; at++) {
			if ((a->key[at] < 0) != (b->key[at] < 0))
				return false;
			if (i && (a->key[at] == a[-1].key[at]) != (b->key[at] == b[-1].key[at]))
				return false;
		}
	}
	return true;
}

/* --- one line --- */

__attribute__((format(printf, 2, 3))) static void add(struct text *line, const char *format, ...)
{
	size_t used = strlen(line->s);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line->s + used, sizeof(line->s) - used, format, arguments);
	va_end(arguments);
}

/* The numbers as "0-3,8". */
static void add_list(struct text *line, unsigned *numbers, size_t count)
{
	qsort(numbers, count, sizeof(numbers[0]), compare_numbers);
	for (size_t i = 0, last; i < count; i = last + 1) {
		for (last = i; last + 1 < count && numbers[last + 1] <= numbers[last] + 1;)
			last++;
		add(line, "%s%u", i ? "," : "", numbers[i]);
		if (numbers[last] > numbers[i])
			add(line, "-%u", numbers[last]);
	}
}

static void add_level(struct text *line, const struct tree *tree, const struct group *group,
		      unsigned level)
{
	static const char *const words[] = { "package", "node", "cache", "core" };
	const struct item *first = group->first;
	enum kind kind = tree->kinds[level];
	size_t count = 0;

	if (kind == KIND_CACHE && first->key[level] >= 0 && first->cpu->cache_level)
		add(line, "L%u ", first->cpu->cache_level);
	add(line, "%s%s", words[kind], first->key[level] < 0 ? " not told" : "");
	if (kind != KIND_NODE || first->key[level] < 0 || !group->is_numbered)
		return;
	add(line, " ");
	for (; first; first = first->like[group->level])
		tree->numbers[count++] = (unsigned)first->key[level];
	add_list(line, tree->numbers, count);
}

/* The CPUs: of each group, or of all together. */
static void add_cpus(struct text *line, const struct tree *tree, const struct group *group,
		     bool is_each)
{
	size_t count = 0;

	add(line, ":%s", is_each ? "" : " ");
	for (const struct item *first = group->first; first; first = first->like[group->level]) {
		for (size_t i = 0; i < group->cpus; i++)
			tree->numbers[count++] = first[i].cpu->cpu;
		if (is_each) {
			add(line, " ");
			add_list(line, tree->numbers, count);
			count = 0;
		}
	}
	add_list(line, tree->numbers, count);
}

/* Cut what is too long behind a comma or a blank, so that no number is halved. */
static void fit(struct text *line, unsigned columns)
{
	size_t at = columns - 3;

	if (strlen(line->s) <= columns)
		return;
	while (at > 0 && line->s[at - 1] != ',' && line->s[at - 1] != ' ')
		at--;
	memcpy(line->s + (at ? at : columns - 3), "...", 4);
}

static void draw_line(const struct tree *tree, const struct group *group, unsigned columns)
{
	const struct skua_cpu *cpu = group->first->cpu;
	bool is_all = group->first == tree->items && group->first + group->cpus == tree->end;
	bool is_one_capacity = true;
	struct text line = { "" }, whole;

	if (is_all)
		add(&line, "machine");
	for (unsigned level = group->level; level < group->sublevel; level++) {
		add(&line, "%s", line.s[0] ? " = " : "");
		add_level(&line, tree, group, level);
	}
	if (group->alike > 1)
		add(&line, " x %zu", group->alike);
	add(&line, ", %zu CPU%s%s", group->cpus, words_plural(group->cpus),
	    group->alike > 1 ? " each" : "");
	for (size_t i = 0; i < group->cpus; i++)
		is_one_capacity &= group->first[i].cpu->capacity == cpu->capacity;
	if (tree->shows_capacity && is_one_capacity && cpu->capacity)
		add(&line, ", capacity %u", cpu->capacity);
	whole = line;
	if (group->is_numbered)
		add_cpus(&whole, tree, group, true);
	if (group->is_numbered && strlen(whole.s) > columns) {
		whole = line;
		add_cpus(&whole, tree, group, false);
	}
	fit(&whole, columns);
	out("%s\n", whole.s);
}

/* --- all lines --- */

/* Find the siblings to be drawn with the one that starts here; they end at `end`. */
static struct group gather(const struct tree *tree, struct item *first, const struct item *end,
			   unsigned level)
{
	struct group group = { .first = first, .cpus = cut(first, end, level), .alike = 1 };
	struct item *last = first;
	size_t cpus;

	group.level = level;
	group.sublevel = level + 1;
	while (group.sublevel < tree->levels &&
	       cut(first, first + group.cpus, group.sublevel) == group.cpus)
		group.sublevel++;
	for (struct item *next = first + group.cpus; next < end; next += cpus) {
		cpus = cut(next, end, level);
		if (next->is_drawn[level] || cpus != group.cpus ||
		    !is_alike(tree, first, next, cpus, level))
			continue;
		last->like[level] = next;
		last = next;
		group.alike++;
	}
	if (group.alike < ALIKE_LEAST && group.sublevel < tree->levels) {
		first->like[level] = NULL;
		group.alike = 1;
	}
	for (struct item *each = first; each; each = each->like[level])
		each->is_drawn[level] = true;
	return group;
}

static bool is_last(const struct item *next, const struct item *end, unsigned level)
{
	for (; next < end; next += cut(next, end, level))
		if (!next->is_drawn[level])
			return false;
	return true;
}

/* What is inside a group, line by line; at most KIND_COUNT levels deep. */
static void draw_inside(struct tree *tree,
			const struct group *outer) /* NOLINT(misc-no-recursion) */
{
	static const char *const drawn[2][2][2] = {
		{ { "|- ", "|  " }, { "`- ", "   " } },
		{ { "\u251c\u2500 ", "\u2502  " }, { "\u2514\u2500 ", "   " } },
	};
	struct item *end = outer->first + outer->cpus;
	unsigned level = outer->sublevel;
	size_t before = strlen(tree->prefix), cpus;

	if (level == tree->levels)
		return;
	for (struct item *first = outer->first; first < end; first += cpus) {
		cpus = cut(first, end, level);
		if (first->is_drawn[level])
			continue;
		struct group group = gather(tree, first, end, level);
		group.is_numbered = outer->is_numbered && outer->alike == 1;
		const char *const *lines = drawn[report_utf8()][is_last(first + cpus, end, level)];
		out("%*s%s%s", INDENT, "", tree->prefix, lines[0]);
		draw_line(tree, &group,
			  report_width() - INDENT - text_width(tree->prefix, before) - STEP);
		snprintf(tree->prefix + before, sizeof(tree->prefix) - before, "%s", lines[1]);
		draw_inside(tree, &group);
		tree->prefix[before] = '\0';
	}
}

void doctor_tree(const struct skua_cpus *cpus)
{
	size_t count = doctor_cpus(cpus);
	struct tree tree = { .items = calloc(count ? count : 1, sizeof(struct item)),
			     .numbers = calloc(count ? count : 1, sizeof(unsigned)) };

	report_title("Topology");
	if (!count || !tree.items || !tree.numbers) {
		report_text(INDENT, "not known");
	} else {
		tree.end = tree.items + count;
		for (size_t i = 0; i < count; i++)
			tree.items[i].cpu = &cpus->cpus[i];
		sort_tree(&tree);
		struct group machine = { .first = tree.items, .cpus = count, .alike = 1 };
		while (machine.sublevel < tree.levels &&
		       cut(tree.items, tree.end, machine.sublevel) == count)
			machine.sublevel++;
		machine.is_numbered = true;
		out("%*s", INDENT, "");
		draw_line(&tree, &machine, report_width() - INDENT);
		draw_inside(&tree, &machine);
	}
	free(tree.items);
	free(tree.numbers);
}
