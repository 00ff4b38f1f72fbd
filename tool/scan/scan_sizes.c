/* SPDX-License-Identifier: MIT */
/* scan_sizes.c — sums of a finished walk as reports want them */
#include "scan/scan_command.h"

uint64_t scan_size_of_dir(const struct scan_choice *choice, const struct scan_dir *dir)
{
	/* order: relaxed, both; the walk is over */
	return choice->is_apparent ? atomic_load_explicit(&dir->bytes, memory_order_relaxed)
				   : atomic_load_explicit(&dir->blocks, memory_order_relaxed) * 512;
}

uint64_t scan_size_of_file(const struct scan_choice *choice, const struct scan_file *file)
{
	return choice->is_apparent ? file->bytes : scan_file_blocks(file) * 512;
}

uint64_t scan_entries_of(const struct scan_dir *dir)
{
	/* order: relaxed, all; the walk is over */
	return (uint64_t)atomic_load_explicit(&dir->files, memory_order_relaxed) +
	       atomic_load_explicit(&dir->symlinks, memory_order_relaxed) +
	       atomic_load_explicit(&dir->others, memory_order_relaxed) +
	       atomic_load_explicit(&dir->directories, memory_order_relaxed) +
	       (dir->type == SCAN_DIRECTORY);
}

uint32_t scan_deepest(const struct scan *scan)
{
	uint32_t deepest = 0;

	for (unsigned i = 0; scan->workers && i <= scan->places; i++)
		if (scan->workers[i].deepest > deepest)
			deepest = scan->workers[i].deepest;
	if (!scan->is_read)
		return deepest;
	for (unsigned i = 0; i < scan->options.path_count; i++) {
		const struct scan_dir *root = scan->roots[i];
		for (const struct scan_dir *dir = root; dir; dir = scan_dir_next(dir, root))
			if (dir->depth > deepest)
				deepest = dir->depth;
	}
	return deepest;
}
