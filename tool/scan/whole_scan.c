/* SPDX-License-Identifier: MIT */
/* whole_scan.c — a scan from its first step to its last: operands, workers, the walk, the sums */
#include "scan/filter.h"
#include "scan/found.h"
#include "scan/links.h"
#include "scan/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As du has it: all slashes at the end but one are left out, and "//" stays as it is. */
static size_t operand_length(const char *path)
{
	size_t length = strlen(path);

	if (length > 2 && path[length - 1] == '/')
		while (length > 1 && path[length - 2] == '/')
			length--;
	return length;
}

/* The operand itself: with a handle it is a directory to be walked. */
static struct scan_dir *make_root(struct scan *scan, unsigned index)
{
	const char *path = scan->options.paths[index];
	struct finding finding = { .scan = scan, .worker = &scan->workers[scan->places] };
	size_t length = operand_length(path);
	struct scan_dir *root = calloc(1, sizeof(*root) + length + 1);
	struct stat stat;

	if (!root)
		return NULL;
	memcpy(root->name, path, length);
	root->name_length = length <= UINT16_MAX ? (uint16_t)length : UINT16_MAX;
	root->position = index;
	atomic_init(&root->pending, 1);
	atomic_init(&root->newest, INT64_MIN);
	root->type = SCAN_OTHER; /* until it is looked at */
	finding.dir = root;
	finding.sums.newest = INT64_MIN;
	if (scan->options.is_like_du && scan->options.filter &&
	    filter_excludes(scan->options.filter, root, NULL)) {
		root->type =
			SCAN_SKIP_NAME; /* not even looked at; others keep what was asked for */
		found_count(&finding.worker->tally.skipped, 1);
	} else if (handle_stat_dir(scan, root, &stat) != 0) {
		found_error(&finding, SCAN_STEP_STAT, NULL, errno);
	} else if (S_ISDIR(stat.st_mode)) {
		root->type = SCAN_DIRECTORY;
		root->handle = handle_make(scan, -1, 1);
		if (!root->handle)
			found_error(&finding, SCAN_STEP_MEMORY, NULL, ENOMEM);
	}
	found_end(&finding);
	return root;
}

static int make_workers(struct scan *scan)
{
	size_t count = scan->places + 1;

	scan->workers = aligned_alloc(128, count * sizeof(*scan->workers));
	if (!scan->workers)
		return SKUA_ENOMEM;
	memset(scan->workers, 0, count * sizeof(*scan->workers));
	for (size_t i = 0; i < count; i++) {
		scan->workers[i].buffer = calloc(1, SCAN_BUFFER); /* MSan knows no getdents */
		if (!scan->workers[i].buffer)
			return SKUA_ENOMEM;
	}
	return SKUA_OK;
}

int scan_open(struct scan *scan, const struct scan_options *options)
{
	*scan = (struct scan){ .options = *options };
	scan->knows_noatime = geteuid() == 0;
	scan->remembers_all = options->is_following || options->path_count > 1;
	if (options->level != SCAN_TOTALS && options->links == SCAN_LINKS_ONCE)
		scan->options.is_in_du_order = true; /* it decides where a file is charged */
	struct skua_pool_options wanted = { .size = sizeof(wanted),
					    .workers = (int)workers_choose(scan),
					    .name = "scan" };
	int error = skua_pool_open(&scan->pool, &wanted);
	if (error)
		return error;
	scan->places = skua_pool_places(scan->pool);
	scan->seen = links_set_make();
	scan->roots = calloc(options->path_count, sizeof(*scan->roots));
	error = scan->seen && scan->roots ? make_workers(scan) : SKUA_ENOMEM;
	for (unsigned i = 0; i < options->path_count && !error; i++) {
		scan->roots[i] = make_root(scan, i);
		if (!scan->roots[i])
			error = SKUA_ENOMEM;
	}
	if (error)
		scan_close(scan);
	return error;
}

void scan_look(const struct scan *scan, struct scan_tally *tally)
{
	*tally = (struct scan_tally){ 0 };
	for (unsigned i = 0; i <= scan->places; i++) {
		const uint64_t *from = (const uint64_t *)&scan->workers[i].tally;
		uint64_t *to = (uint64_t *)tally;
		/* order: relaxed; counts of threads that go on, none of which depends on another */
		for (size_t j = 0; j < sizeof(*tally) / sizeof(*to); j++)
			to[j] += __atomic_load_n(&from[j], __ATOMIC_RELAXED);
	}
}

static int compare_errors(const void *left, const void *right)
{
	const struct scan_error *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	return order ? order : (int)a->step - (int)b->step;
}

static void gather_errors(struct scan *scan)
{
	struct scan_errors *all = &scan->errors;

	for (unsigned i = 0; i <= scan->places; i++)
		all->room += scan->workers[i].errors.count;
	all->all = all->room ? malloc(all->room * sizeof(*all->all)) : NULL;
	for (unsigned i = 0; i <= scan->places; i++) {
		struct scan_errors *some = &scan->workers[i].errors;
		all->lost += some->lost;
		if (!all->all) {
			all->lost += some->count;
			continue;
		}
		if (some->count)
			memcpy(all->all + all->count, some->all, some->count * sizeof(*some->all));
		all->count += some->count;
		some->count = 0;
	}
	if (all->all && all->count)
		qsort(all->all, all->count, sizeof(*all->all), compare_errors);
}

bool scan_wait(struct scan *scan, int64_t deadline)
{
	if (skua_await(&scan->done, deadline) == SKUA_ETIMEDOUT)
		return false;
	scan_look(scan, &scan->total);
	gather_errors(scan);
	scan->is_partial = atomic_load_explicit(&scan->is_stopped, memory_order_relaxed);
	if (scan->options.level != SCAN_TOTALS) {
		for (unsigned i = 0; i < scan->options.path_count; i++)
			scan_sort(scan->roots[i], SCAN_BY_POSITION);
		links_charge(scan);
	}
	scan->seconds = (double)(skua_clock_ns() - scan->started_ns) / 1e9;
	for (unsigned i = 0; i <= scan->places; i++)
		scan->memory += scan->workers[i].dirs.bytes + scan->workers[i].files.bytes +
				scan->workers[i].links.room * sizeof(struct scan_link);
	return true;
}

void scan_run(struct scan *scan)
{
	scan_start(scan);
	scan_wait(scan, SKUA_FOREVER);
}

static void free_errors(struct scan_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++)
		free(errors->all[i].path);
	free(errors->all);
}

void scan_close(struct scan *scan)
{
	if (scan->pool)
		skua_pool_close(scan->pool, SKUA_CLOSE_DRAIN);
	for (unsigned i = 0; scan->workers && i <= scan->places; i++) {
		struct scan_worker *worker = &scan->workers[i];
		arena_free(&worker->dirs);
		arena_free(&worker->files);
		free_errors(&worker->errors);
		free(worker->links.all);
		free(worker->buffer);
		du_batch_free(&worker->batch);
	}
	for (unsigned i = 0; scan->roots && i < scan->options.path_count; i++)
		free(scan->roots[i]);
	free_errors(&scan->errors);
	links_set_free(scan->seen);
	free(scan->workers);
	free((void *)scan->roots);
	*scan = (struct scan){ 0 };
}
