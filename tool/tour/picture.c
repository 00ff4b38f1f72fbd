/* SPDX-License-Identifier: MIT */
/* picture.c — the machine drawn in characters */
#include "tour/picture.h"

#include "output.h"
#include "report.h"
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The picture is drawn on a canvas of characters first.  The report of the library counts caches
 * and CPUs but does not say which CPU has which cache, so boxes of several groups carry no CPU
 * numbers: we draw what we know.
 */
#define COLUMNS_MAX   80
#define MARGIN	      2
#define CELLS_PER_ROW 16
#define CELL_ROWS     2
#define NAMED_MAX     6 /* CPUs drawn as boxes with their numbers */

enum glyph { /* beside ASCII; all below the blank */
	GLYPH_NW = 1,
	GLYPH_NE,
	GLYPH_SW,
	GLYPH_SE,
	GLYPH_ACROSS,
	GLYPH_DOWN,
	GLYPH_CELL,
};

struct canvas {
	char at[PICTURE_ROWS][COLUMNS_MAX];
};

struct plan {
	unsigned groups;     /* all alike */
	unsigned cpus;	     /* in each group */
	unsigned scale;	     /* CPUs that one square stands for */
	unsigned cells;	     /* squares in each group */
	char caption[2][40]; /* below the squares */
};

static void put_text(struct canvas *canvas, unsigned x, unsigned y, const char *text)
{
	for (; *text && x < COLUMNS_MAX && y < PICTURE_ROWS; x++)
		canvas->at[y][x] = *text++;
}

static void put_box(struct canvas *canvas, unsigned x, unsigned y, unsigned width, unsigned height)
{
	if (x + width > COLUMNS_MAX || y + height > PICTURE_ROWS)
		return;
	for (unsigned i = 1; i + 1 < width; i++)
		canvas->at[y][x + i] = canvas->at[y + height - 1][x + i] = GLYPH_ACROSS;
	for (unsigned i = 1; i + 1 < height; i++)
		canvas->at[y + i][x] = canvas->at[y + i][x + width - 1] = GLYPH_DOWN;
	canvas->at[y][x] = GLYPH_NW;
	canvas->at[y][x + width - 1] = GLYPH_NE;
	canvas->at[y + height - 1][x] = GLYPH_SW;
	canvas->at[y + height - 1][x + width - 1] = GLYPH_SE;
}

static void show_canvas(const struct canvas *canvas)
{
	static const char *const drawn[] = {
		[GLYPH_NW] = "\u250c",	 [GLYPH_NE] = "\u2510",	    [GLYPH_SW] = "\u2514",
		[GLYPH_SE] = "\u2518",	 [GLYPH_ACROSS] = "\u2500", [GLYPH_DOWN] = "\u2502",
		[GLYPH_CELL] = "\u25a0",
	};
	static const char ascii[] = { 0, '+', '+', '+', '+', '-', '|', '#' };

	for (unsigned y = 0; y < PICTURE_ROWS; y++) {
		unsigned end = COLUMNS_MAX;
		while (end && canvas->at[y][end - 1] == ' ')
			end--;
		if (!end)
			return;
		for (unsigned x = 0; x < end; x++) {
			char c = canvas->at[y][x];
			if (c >= ' ')
				out_bytes(&c, 1);
			else if (report_utf8())
				out("%s", drawn[(unsigned char)c]);
			else
				out_bytes(&ascii[(unsigned char)c], 1);
		}
		out("\n");
	}
}

/* The numbers in "0-3,8"; returns how many, up to `room`, or 0 when it is no such list. */
static unsigned read_list(const char *list, unsigned *numbers, unsigned room)
{
	unsigned count = 0;

	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return 0;
		if (*end == '-') {
			list = end + 1;
			last = strtoul(list, &end, 10);
			if (end == list)
				return 0;
		}
		for (; first <= last && count < room; first++)
			numbers[count++] = (unsigned)first;
		if (*end && *end != ',')
			return 0;
		list = *end ? end + 1 : end;
	}
	return count;
}

static struct plan make_plan(const struct skua_machine *machine)
{
	const struct skua_cache *cache = words_last_cache(machine);
	unsigned allowed = machine->cpus_allowed;
	struct plan plan = { .groups = 1, .cpus = allowed, .scale = 1 };

	/* count x shared_by = CPUs only when every such cache has the same number of them */
	if (cache && cache->shared_by && cache->count == allowed / cache->shared_by &&
	    allowed % cache->shared_by == 0 && (cache->shared_by > 1 || allowed == 1)) {
		plan.groups = cache->count;
		plan.cpus = cache->shared_by;
		if (cache->size_bytes)
			snprintf(plan.caption[1], sizeof(plan.caption[1]), "%.24s L%u cache",
				 words_bytes(cache->size_bytes).s, cache->level);
	}
	snprintf(plan.caption[0], sizeof(plan.caption[0]), "%u CPU%s", plan.cpus,
		 words_plural(plan.cpus));
	while ((plan.cpus + plan.scale - 1) / plan.scale > CELLS_PER_ROW * CELL_ROWS)
		plan.scale *= 2;
	plan.cells = (plan.cpus + plan.scale - 1) / plan.scale;
	return plan;
}

static unsigned longest(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned caption_width(const struct plan *plan)
{
	return (unsigned)longest((unsigned)strlen(plan->caption[0]),
				 (unsigned)strlen(plan->caption[1]));
}

/* One group, its CPUs as boxes with their numbers.  False when they do not fit. */
static bool draw_named(struct canvas *canvas, const struct plan *plan, const char *list,
		       unsigned columns)
{
	unsigned numbers[NAMED_MAX + 1], x = MARGIN + 2;
	unsigned count = read_list(list, numbers, NAMED_MAX + 1);
	char caption[84];

	if (plan->groups != 1 || count != plan->cpus || count > NAMED_MAX)
		return false;
	snprintf(caption, sizeof(caption), "%s%s%s", plan->caption[0],
		 plan->caption[1][0] ? ", " : "", plan->caption[1]);
	if (count > 1 && plan->caption[1][0])
		strncat(caption, " shared", sizeof(caption) - strlen(caption) - 1);
	for (unsigned i = 0; i < count; i++) {
		char name[24];
		unsigned width = (unsigned)snprintf(name, sizeof(name), "CPU %u", numbers[i]) + 4;

		if (x + width + 2 > columns)
			return false;
		put_box(canvas, x, 1, width, 3);
		put_text(canvas, x + 2, 2, name);
		x += width + 1;
	}
	x = longest(x + 1, MARGIN + 4 + (unsigned)strlen(caption));
	put_text(canvas, MARGIN + 2, 4, caption);
	put_box(canvas, MARGIN, 0, x - MARGIN, 6);
	return true;
}

/* Groups side by side, CPUs as squares; returns how many groups found room. */
static unsigned draw_squares(struct canvas *canvas, const struct plan *plan, unsigned columns)
{
	unsigned per_row = plan->cells < CELLS_PER_ROW ? plan->cells : CELLS_PER_ROW;
	unsigned rows = (plan->cells + CELLS_PER_ROW - 1) / CELLS_PER_ROW;
	unsigned width = longest(2 * per_row - 1, caption_width(plan)) + 4;
	unsigned lines = plan->caption[1][0] ? 2 : 1, shown = 0;

	for (unsigned x = MARGIN; x + width <= columns && shown < plan->groups; x += width + 1) {
		put_box(canvas, x, 0, width, rows + lines + 2);
		for (unsigned i = 0; i < plan->cells; i++)
			canvas->at[1 + i / per_row][x + 2 + 2 * (i % per_row)] = GLYPH_CELL;
		for (unsigned i = 0; i < lines; i++)
			put_text(canvas, x + 2, 1 + rows + i, plan->caption[i]);
		shown++;
	}
	return shown;
}

__attribute__((format(printf, 3, 0))) static void add_note(char *note, size_t room,
							   const char *format, unsigned count)
{
	size_t used = strlen(note);

	if (used)
		used += (size_t)snprintf(note + used, room - used, "; ");
	snprintf(note + used, room - used, format, count);
}

void picture_draw(const struct skua_machine *machine)
{
	unsigned columns = report_width() < COLUMNS_MAX ? report_width() : COLUMNS_MAX;
	struct plan plan = make_plan(machine);
	struct canvas canvas;
	unsigned shown = 1;
	char note[160] = "";

	memset(&canvas, ' ', sizeof(canvas));
	if (!draw_named(&canvas, &plan, machine->cpus_allowed_list, columns)) {
		memset(&canvas, ' ', sizeof(canvas));
		shown = draw_squares(&canvas, &plan, columns);
	}
	show_canvas(&canvas);
	if (shown < plan.groups)
		add_note(note, sizeof(note), "... and %u more like these", plan.groups - shown);
	if (machine->packages > 1)
		add_note(note, sizeof(note), "%u packages", machine->packages);
	if (machine->nodes > 1)
		add_note(note, sizeof(note), "%u NUMA nodes", machine->nodes);
	if (plan.scale > 1)
		add_note(note, sizeof(note), "a square is %u CPUs", plan.scale);
	if (note[0])
		report_text(MARGIN, "%s", note);
}
