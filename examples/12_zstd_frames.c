/* SPDX-License-Identifier: MIT */
/* 12_zstd_frames.c — zstd frames on a pool, a compressor for each slot; needs libzstd */
#include <skua/executor.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/*
 * zstd can compress with threads of its own, but has no way to lend it others.  Frames are
 * independent, and frames one after the other are a zstd file: so each is a step of a bulk call.
 * A compressor is a megabyte of state: one for each slot is enough, made when it is first needed.
 */
#define FRAME  ((size_t)128 << 10)
#define FRAMES 48
#define BYTES  (FRAME * FRAMES)

struct work {
	const char *plain;
	char *packed; /* room bytes for each frame */
	size_t room;
	size_t sizes[FRAMES];	 /* of the packed frames; or zstd's error */
	ZSTD_CCtx **compressors; /* by slot */
};

static void compress_frame(void *argument, size_t index, unsigned slot)
{
	struct work *work = argument;

	if (!work->compressors[slot])
		work->compressors[slot] = ZSTD_createCCtx();
	work->sizes[index] = !work->compressors[slot]
				     ? (size_t)-1
				     : ZSTD_compressCCtx(work->compressors[slot],
							 work->packed + index * work->room,
							 work->room, work->plain + index * FRAME,
							 FRAME, 3);
}

/* Lines that repeat themselves, but not too much. */
static void write_text(char *text)
{
	unsigned random = 7;

	for (size_t at = 0; at < BYTES;) {
		char line[64];
		random = random * 1664525 + 1013904223;
		int length = snprintf(line, sizeof(line), "worker %u stole %u tasks\n",
				      random >> 29, random >> 12);
		for (int i = 0; i < length && at < BYTES; i++)
			text[at++] = line[i];
	}
}

/* Put the frames together and unpack them in one go.  Bytes of the whole, or 0: not the same. */
static size_t check(struct work *work, char *unpacked)
{
	size_t total = 0;

	for (size_t i = 0; i < FRAMES; i++) {
		if (ZSTD_isError(work->sizes[i]))
			return 0;
		memmove(work->packed + total, work->packed + i * work->room, work->sizes[i]);
		total += work->sizes[i];
	}
	if (ZSTD_decompress(unpacked, BYTES, work->packed, total) != BYTES)
		return 0;
	return memcmp(unpacked, work->plain, BYTES) == 0 ? total : 0;
}

int main(void)
{
	struct skua_executor executor = skua_pool_executor(NULL);
	unsigned width = executor.width(executor.self), used = 0;
	char *plain = malloc(BYTES), *unpacked = malloc(BYTES);
	struct work work = { .plain = plain, .room = ZSTD_compressBound(FRAME) };
	size_t total = 0;

	work.packed = malloc(work.room * FRAMES);
	work.compressors = calloc(width, sizeof(ZSTD_CCtx *));
	if (plain && unpacked && work.packed && work.compressors) {
		write_text(plain);
		int error = executor.bulk(executor.self, FRAMES, compress_frame, &work);
		if (error)
			fprintf(stderr, "12_zstd_frames: %s\n", skua_strerror(error));
		else
			total = check(&work, unpacked);
		for (unsigned i = 0; i < width; i++) {
			used += work.compressors[i] != NULL;
			ZSTD_freeCCtx(work.compressors[i]);
		}
	}
	printf("zstd %s: %zu bytes in %d frames became %zu, by %u compressors\n",
	       ZSTD_versionString(), BYTES, FRAMES, total, used);
	free(plain);
	free(unpacked);
	free(work.packed);
	free(work.compressors);
	return total > 0 ? 0 : 1;
}
