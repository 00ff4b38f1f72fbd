/* SPDX-License-Identifier: MIT */
/* spot.c — where a walk is right now: the directory that some worker reads, told when asked */
#include "scan/spot.h"

#include <stdlib.h>
#include <string.h>

void spot_look(struct spot *spot, char text[SPOT_BYTES])
{
	/* order: acquire, pairs the release of spot_tell: the text is whole */
	unsigned state = atomic_load_explicit(&spot->state, memory_order_acquire);

	if (state == SPOT_TOLD)
		memcpy(text, spot->text, SPOT_BYTES);
	if (state == SPOT_TOLD || state == SPOT_QUIET)
		/* order: release; our reading of the text is over before a worker writes it */
		atomic_store_explicit(&spot->state, SPOT_ASKED, memory_order_release);
}

void spot_tell(struct spot *spot, const struct scan_dir *dir)
{
	unsigned asked = SPOT_ASKED;

	/* order: acquire, pairs the release of spot_look; failing, we touch nothing */
	if (!atomic_compare_exchange_strong_explicit(&spot->state, &asked, SPOT_TAKEN,
						     memory_order_acquire, memory_order_relaxed))
		return;
	char *path = scan_path(dir, NULL);
	size_t length = path ? strlen(path) : 0;
	if (length >= SPOT_BYTES) {
		memcpy(path + SPOT_BYTES - 4, "...", 4);
		length = SPOT_BYTES - 1;
	}
	memcpy(spot->text, path ? path : "", length + 1);
	free(path);
	/* order: release; the text before the word that it is there */
	atomic_store_explicit(&spot->state, SPOT_TOLD, memory_order_release);
}
