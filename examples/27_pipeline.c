/* SPDX-License-Identifier: MIT */
/* 27_pipeline.c — blocks are read in order, packed at the same time, and written in order */
#include <skua/pipeline.h>
#include <skua/skua.h>
#include <stdio.h>
#include <string.h>

#define INPUT_BYTES 1000000
#define BLOCK_BYTES 4096
#define PACKED_MOST (2 * BLOCK_BYTES) /* runs of one byte each: twice as much */

static unsigned char input[INPUT_BYTES], packed[2 * INPUT_BYTES], plain[2 * INPUT_BYTES];

/* What a token takes along; there are only so many of them, however long the input is. */
struct block {
	size_t count, packed_count;
	const unsigned char *bytes;
	unsigned char packed[PACKED_MOST];
};

struct place {
	unsigned char *bytes;
	size_t at;
};

/* Each run of a byte becomes its length and the byte. */
static size_t pack(const unsigned char *bytes, size_t count, unsigned char *to)
{
	size_t used = 0;

	for (size_t i = 0, run; i < count; i += run) {
		for (run = 1; run < 255 && i + run < count && bytes[i + run] == bytes[i];)
			run++;
		to[used++] = (unsigned char)run;
		to[used++] = bytes[i];
	}
	return used;
}

SKUA_STAGE(read_block, struct block *, block, struct place *, from)
{
	size_t left = INPUT_BYTES - from->at;

	if (left == 0)
		return SKUA_STAGE_END;
	block->bytes = from->bytes + from->at;
	block->count = left < BLOCK_BYTES ? left : BLOCK_BYTES;
	from->at += block->count;
	return SKUA_OK;
}

SKUA_STAGE(pack_block, struct block *, block, void *, unused)
{
	block->packed_count = pack(block->bytes, block->count, block->packed);
	return SKUA_OK;
}

SKUA_STAGE(write_block, struct block *, block, struct place *, to)
{
	memcpy(to->bytes + to->at, block->packed, block->packed_count);
	to->at += block->packed_count;
	return SKUA_OK;
}

int main(void)
{
	struct place from = { input, 0 }, to = { packed, 0 };
	const struct skua_stage stages[] = {
		{ SKUA_STAGE_IN_ORDER, read_block, &from },
		{ SKUA_STAGE_PARALLEL, pack_block, NULL },
		{ SKUA_STAGE_IN_ORDER, write_block, &to },
	};
	struct skua_pipeline_options options = { .size = sizeof(options),
						 .bytes = sizeof(struct block) };
	struct skua_pipeline *pipeline;
	size_t plain_count = 0;

	for (size_t i = 0; i < INPUT_BYTES; i++)
		input[i] = (unsigned char)(i * i >> 22 ^ i >> 9);
	int error = skua_pipeline_open(&pipeline, stages, 3, &options);
	if (!error) {
		error = skua_pipeline_run(NULL, pipeline, NULL);
		skua_pipeline_close(pipeline);
	}
	if (error) {
		fprintf(stderr, "27_pipeline: %s\n", skua_strerror(error));
		return 1;
	}
	for (size_t i = 0; i < INPUT_BYTES; i += BLOCK_BYTES)
		plain_count += pack(input + i,
				    INPUT_BYTES - i < BLOCK_BYTES ? INPUT_BYTES - i : BLOCK_BYTES,
				    plain + plain_count);
	printf("%d bytes packed to %zu\n", INPUT_BYTES, to.at);
	return to.at == plain_count && memcmp(packed, plain, plain_count) == 0 ? 0 : 1;
}
