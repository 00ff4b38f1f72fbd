/* SPDX-License-Identifier: MIT */
/* fuzz_ncdu.c — the reader of ncdu's exports, fed anything, held to what it promises */
#include "scan/ncdu_file.h"
#include "scan/scan_command.h"
#include "scan/tree_tour.h"

#include <stdlib.h>
#include <string.h>

/* A broken promise aborts. */
#define PROMISE(claim) ((claim) ? (void)0 : abort())

/* Every entry is there once, and the sums are those of the entries. */
static void check_tree(const struct scan *scan)
{
	static const struct scan_choice apparent = { .is_apparent = true };
	struct tour tour;
	enum tour_step step;
	uint64_t dirs = 0, others = 0, skipped = 0, bytes = 0;

	tour_start(&tour, scan->roots[0]);
	while ((step = tour_next(&tour)) != TOUR_END) {
		PROMISE(step != TOUR_NO_MEMORY);
		if (step == TOUR_DIR) {
			PROMISE(tour.dir->name_length == strlen(tour.dir->name));
			PROMISE(!tour.dir->parent || !strchr(tour.dir->name, '/'));
			dirs += tour.dir->type == SCAN_DIRECTORY;
			skipped += tour.dir->type >= SCAN_SKIP_NAME;
			bytes += tour.dir->own_bytes;
		} else if (step == TOUR_FILE) {
			PROMISE(tour.file->name_length == strlen(tour.file->name));
			PROMISE(tour.file->name_length && !strchr(tour.file->name, '/'));
			skipped += tour.file->type >= SCAN_SKIP_NAME;
			others += tour.file->type < SCAN_SKIP_NAME;
			bytes += tour.file->bytes;
		}
	}
	tour_stop(&tour);
	PROMISE(dirs == scan->total.directories && skipped == scan->total.skipped);
	PROMISE(others == scan->total.files + scan->total.symlinks + scan->total.others);
	PROMISE(bytes == scan->total.bytes);
	PROMISE(scan_size_of_dir(&apparent, scan->roots[0]) == bytes);
	PROMISE(scan_entries_of(scan->roots[0]) == dirs + others);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct scan_options all = { .links = SCAN_LINKS_ALL };
	char *copy = malloc(size ? size : 1); /* of exactly this length: one too far is seen */
	struct scan scan;
	struct pull pull;

	PROMISE(copy);
	if (size)
		memcpy(copy, data, size);
	PROMISE(pull_open_bytes(&pull, copy, size));
	if (!ncdu_read(&scan, &all, &pull))
		check_tree(&scan);
	else
		PROMISE(pull.fault && pull.line >= 1 && pull.column >= 1 && pull.line <= size + 1);
	scan_close(&scan);
	pull_close(&pull);
	free(copy);
	return 0;
}
