/* SPDX-License-Identifier: MIT */
/* folded.c — the report --folded: directories as the stacks that flame-graph tools read */
#include "output.h"
#include "scan/scan_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * A line for each directory, "a;b;c bytes", with what is in it but not in its subdirectories: tools
 * add up what is below.  The path so far is one buffer that grows and shrinks, so a deep tree costs
 * its own output and no more.
 */

struct stack {
	char *text;
	size_t length, room;
	size_t *marks; /* the length of the text at each depth */
	size_t mark_room;
};

/* What means something to the tools, or would end the line, becomes an underscore. */
static char cleaned(char c)
{
	return c == ';' || (c >= 0 && c < 0x20) || c == 0x7f ? '_' : c;
}

static bool grow(void **memory, size_t *room, size_t wanted, size_t each)
{
	if (wanted <= *room)
		return true;
	size_t more = *room ? 2 * *room : 256;
	if (more < wanted)
		more = wanted;
	void *larger = realloc(*memory, more * each);
	if (!larger)
		return false;
	*memory = larger;
	*room = more;
	return true;
}

static bool push(struct stack *stack, const struct scan_dir *dir)
{
	void *text = stack->text, *marks = stack->marks;
	size_t start = dir->parent && stack->marks ? stack->marks[dir->depth - 1] : 0;

	bool is_grown = grow(&text, &stack->room, start + dir->name_length + 2, 1);
	stack->text = text;
	bool has_mark = grow(&marks, &stack->mark_room, (size_t)dir->depth + 1, sizeof(size_t));
	stack->marks = marks;
	if (!is_grown || !has_mark)
		return false;
	if (dir->parent)
		stack->text[start++] = ';';
	for (size_t i = 0; i < dir->name_length; i++)
		stack->text[start++] = cleaned(dir->name[i]);
	stack->marks[dir->depth] = stack->length = start;
	return true;
}

/* In it, but in none of its subdirectories; 0 where links that are shared below make it less. */
static uint64_t own_size(const struct scan_choice *choice, const struct scan_dir *dir)
{
	uint64_t size = scan_size_of_dir(choice, dir);

	for (const struct scan_dir *child = dir->child; child; child = child->next) {
		uint64_t below = scan_size_of_dir(choice, child);
		size = size > below ? size - below : 0;
	}
	return size;
}

static int print_folded(struct scan *scan, const struct scan_choice *choice)
{
	struct stack stack = { 0 };
	bool is_whole = true;

	for (unsigned i = 0; i < scan->options.path_count; i++) {
		struct scan_dir *root = scan->roots[i];
		scan_sort(root, SCAN_BY_NAME);
		for (const struct scan_dir *dir = root; dir && is_whole;
		     dir = scan_dir_next(dir, root)) {
			is_whole = push(&stack, dir);
			uint64_t size = own_size(choice, dir);
			if (!is_whole || size == 0)
				continue;
			out_bytes(stack.text, stack.length);
			out(" %" PRIu64 "\n", size);
		}
	}
	free(stack.text);
	free(stack.marks);
	if (is_whole)
		return STATUS_DONE;
	fprintf(stderr, "skua scan: --folded: there is not enough memory for it\n");
	return STATUS_FAULT;
}

const struct scan_report scan_report_folded = {
	.name = "folded",
	.level = SCAN_DIRECTORIES,
	.needs_sizes = true,
	.is_alone = true,
	.print = print_folded,
};
