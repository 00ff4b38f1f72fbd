/* SPDX-License-Identifier: MIT */
/* fuzz_snapshot.c — the reader of snapshots, fed anything, also behind checksums that fit */
#include "scan/snapshot.h"
#include "scan/tree_tour.h"

#include <stdlib.h>
#include <string.h>

/* A broken promise aborts. */
#define PROMISE(claim) ((claim) ? (void)0 : abort())

static void check_tree(const struct scan *scan)
{
	uint64_t dirs = 0, files = 0;

	for (unsigned i = 0; i < scan->options.path_count; i++) {
		struct tour tour;
		enum tour_step step;
		tour_start(&tour, scan->roots[i]);
		while ((step = tour_next(&tour)) != TOUR_END) {
			PROMISE(step != TOUR_NO_MEMORY);
			dirs += step == TOUR_DIR && tour.dir->type == SCAN_DIRECTORY;
			files += step == TOUR_FILE && tour.file->type == SCAN_FILE;
			if (step == TOUR_FILE)
				PROMISE(tour.file->name_length == strlen(tour.file->name));
		}
		files += scan->roots[i]->type == SCAN_FILE;
		tour_stop(&tour);
	}
	PROMISE(dirs == scan->total.directories && files == scan->total.files);
}

static void read_once(const unsigned char *bytes, size_t size)
{
	static const struct scan_options once;
	struct scan scan;
	struct pull pull;

	PROMISE(pull_open_bytes(&pull, (const char *)bytes, size));
	if (!snapshot_read(&scan, &once, &pull))
		check_tree(&scan);
	scan_close(&scan);
	pull_close(&pull);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As a whole file, and as the records of one block in a file that is good otherwise. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *file = malloc(SNAPSHOT_HEAD + 8 + size);

	PROMISE(file);
	if (size)
		memcpy(file, data, size);
	read_once(file, size);
	memset(file, 0, SNAPSHOT_HEAD);
	memcpy(file, SNAPSHOT_MAGIC, 8);
	snapshot_put(file + 8, SNAPSHOT_VERSION, 4);
	snapshot_put(file + 28, snapshot_crc(file, 28), 4);
	snapshot_put(file + SNAPSHOT_HEAD, size, 4);
	if (size)
		memcpy(file + SNAPSHOT_HEAD + 8, data, size);
	snapshot_put(file + SNAPSHOT_HEAD + 4, snapshot_crc(file + SNAPSHOT_HEAD + 8, size), 4);
	read_once(file, SNAPSHOT_HEAD + 8 + size);
	free(file);
	return 0;
}
