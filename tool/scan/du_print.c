/* SPDX-License-Identifier: MIT */
/* du_print.c — the report --du: every line that GNU du prints, in its order */
#include "output.h"
#include "scan/scan_command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * du goes through the names of a directory as they are read, and prints a directory after what is
 * in it.  So we go down the tree with one step of a stack for each level, and take at each step the
 * next file or directory, whichever was read first.  Where only directories are kept their sums are
 * those of the walk; where files are kept we add them up again, because du counts times and inodes
 * of a file with several names at the first alone.
 */

struct du_sum {
	uint64_t size, inodes;
	int64_t newest;
};

struct du_step {
	const struct scan_dir *dir, *child; /* child: the next one */
	const struct scan_file *file;	    /* the next one */
	struct scan_files files;
	struct du_sum sum;
	size_t path_length; /* with the name of dir */
};

struct du_printer {
	const struct scan_choice *choice;
	bool has_files; /* the walk kept them */
	struct du_step *steps;
	size_t step_count, step_room;
	char *path;
	size_t path_length, path_room;
	struct du_sum total;
};

static void add(struct du_sum *to, const struct du_sum *more)
{
	to->size += more->size;
	to->inodes += more->inodes;
	if (more->newest > to->newest)
		to->newest = more->newest;
}

static void print_time(int64_t seconds)
{
	time_t moment = (time_t)seconds;
	struct tm parts;
	char text[64];

	if (localtime_r(&moment, &parts) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M", &parts))
		out("%s\t", text);
	else
		out("%" PRId64 "\t", seconds);
}

static void print_line(const struct du_printer *printer, const struct du_sum *sum, const char *path,
		       size_t length)
{
	const struct du_choice *du = &printer->choice->du;
	char number[DU_NUMBER_MAX];

	du_number(number, du, du->is_inodes ? sum->inodes : sum->size);
	out("%s\t", number);
	if (du->has_time)
		print_time(sum->newest);
	out_bytes(path, length);
	out_bytes(printer->choice->is_null_ended ? "" : "\n", 1);
}

/* The line of what the path leads to, unless it is too deep or small. */
static void print_entry(const struct du_printer *printer, const struct du_sum *sum, size_t depth)
{
	const struct du_choice *du = &printer->choice->du;
	uint64_t size = du->is_inodes ? sum->inodes : sum->size;

	if (depth > printer->choice->max_depth)
		return;
	if (du->is_most ? size <= du->threshold : size >= du->threshold)
		print_line(printer, sum, printer->path, printer->path_length);
}

/* The name behind the path, with a slash between them if need be. */
static bool enter_name(struct du_printer *printer, const char *name, size_t length)
{
	size_t needed = printer->path_length + length + 1;

	if (needed > printer->path_room) {
		char *path = realloc(printer->path, 2 * needed);
		if (!path)
			return false;
		printer->path = path;
		printer->path_room = 2 * needed;
	}
	if (printer->path_length && printer->path[printer->path_length - 1] != '/')
		printer->path[printer->path_length++] = '/';
	memcpy(printer->path + printer->path_length, name, length);
	printer->path_length += length;
	return true;
}

static bool enter_dir(struct du_printer *printer, const struct scan_dir *dir)
{
	bool is_apparent = printer->choice->is_apparent;

	if (printer->step_count == printer->step_room) {
		size_t room = printer->step_room ? 2 * printer->step_room : 64;
		struct du_step *steps = realloc(printer->steps, room * sizeof(*steps));
		if (!steps)
			return false;
		printer->steps = steps;
		printer->step_room = room;
	}
	if (!enter_name(printer, dir->name, dir->name_length))
		return false;
	struct du_step *step = &printer->steps[printer->step_count++];
	*step = (struct du_step){
		.dir = dir,
		.child = dir->child,
		.sum = { is_apparent ? dir->own_bytes : dir->own_blocks * 512, 1, dir->mtime },
		.path_length = printer->path_length,
	};
	step->file = scan_files_first(&step->files, dir);
	return true;
}

static void leave_dir(struct du_printer *printer)
{
	struct du_step *step = &printer->steps[printer->step_count - 1];
	/* order: relaxed; the walk is over */
	uint64_t bytes = atomic_load_explicit(&step->dir->bytes, memory_order_relaxed);
	uint64_t blocks = atomic_load_explicit(&step->dir->blocks, memory_order_relaxed);

	if (!printer->has_files)
		step->sum.size = printer->choice->is_apparent ? bytes : blocks * 512;
	print_entry(printer, &step->sum, printer->step_count - 1);
	if (--printer->step_count == 0)
		add(&printer->total, &step->sum);
	else
		add(&step[-1].sum, &step->sum);
	if (printer->step_count)
		printer->path_length = step[-1].path_length;
}

static bool print_file(struct du_printer *printer, struct du_step *step)
{
	const struct scan_file *file = step->file;
	const struct scan_choice *choice = printer->choice;
	struct du_sum sum = { choice->is_apparent ? file->bytes : scan_file_blocks(file) * 512, 1,
			      file->mtime };

	step->file = scan_files_next(&step->files);
	if (file->type >= SCAN_DIRECTORY || (file->flags & (SCAN_UNKNOWN | SCAN_REPEATED)))
		return true;
	add(&step->sum, &sum);
	if (!choice->du.is_all)
		return true;
	size_t length = printer->path_length;
	if (!enter_name(printer, file->name, file->name_length))
		return false;
	print_entry(printer, &sum, printer->step_count);
	printer->path_length = length;
	return true;
}

/* One name further; false: there is no memory. */
static bool go_on(struct du_printer *printer)
{
	struct du_step *step = &printer->steps[printer->step_count - 1];

	if (step->file && (!step->child || step->files.position < step->child->position))
		return print_file(printer, step);
	if (!step->child) {
		leave_dir(printer);
		return true;
	}
	const struct scan_dir *child = step->child;
	step->child = child->next;
	return child->type != SCAN_DIRECTORY || enter_dir(printer, child);
}

static bool print_root(struct du_printer *printer, const struct scan_dir *root)
{
	bool is_kept = printer->choice->walk.level != SCAN_TOTALS;

	printer->path_length = 0;
	if (root->type >= SCAN_SKIP_NAME || (root->has_error && root->type != SCAN_DIRECTORY))
		return true; /* met before, or not to be seen */
	if (!enter_dir(printer, root))
		return false;
	if (!is_kept || root->type != SCAN_DIRECTORY) {
		printer->steps[0].child = NULL;
		printer->steps[0].file = NULL;
	}
	while (printer->step_count)
		if (!go_on(printer))
			return false;
	return true;
}

static int print_du(struct scan *scan, const struct scan_choice *choice)
{
	struct du_printer printer = { .choice = choice,
				      .has_files = choice->walk.level == SCAN_EVERYTHING,
				      .total = { .newest = INT64_MIN } };
	bool is_whole = true;

	for (unsigned i = 0; i < scan->options.path_count && is_whole; i++)
		is_whole = print_root(&printer, scan->roots[i]);
	if (is_whole && choice->du.has_total)
		print_line(&printer, &printer.total, "total", strlen("total"));
	free(printer.steps);
	free(printer.path);
	bool is_any = du_tell_errors(scan);
	if (!is_whole) {
		fprintf(stderr, "skua scan: there is no memory to print all; try -s or -d 1\n");
		return STATUS_FAULT;
	}
	return is_any ? STATUS_PARTLY : STATUS_DONE;
}

const struct scan_report scan_report_du = {
	.name = "du",
	.level = SCAN_TOTALS, /* du_plan says more */
	.needs_sizes = true,
	.is_alone = true,
	.is_paths = true,
	.print = print_du,
};
