/* SPDX-License-Identifier: MIT */
/* pack_parts.h — what filter, unique and partition share: elements moved together, in order */
#ifndef SKUAI_PAR_PACK_PARTS_H
#define SKUAI_PAR_PACK_PARTS_H

#include "par/blocks.h"

#include <skua/pack.h>

struct skuai_pack_block {
	size_t lo, count;   /* elements */
	size_t kept, start; /* of them; and before them */
	char *from;	    /* where they are, until they are moved */
};

struct skuai_pack {
	const char *in;
	char *out;
	char *rest; /* for those that are not kept; NULL: they are dropped */
	size_t count, bytes;
	const void *how; /* struct skua_test, or what else compact knows */
	void *argument;
	/* Copy those to be kept to `to`, the others to `rest`, if there is one; how many. */
	size_t (*compact)(const struct skuai_pack *pack, const struct skuai_span *span, char *to,
			  char *rest);

	size_t kept;			 /* before the block with the token; who has that writes */
	size_t alone, alone_kept;	 /* elements that the caller did alone, at the start */
	struct skuai_pack_block *blocks; /* of those after; NULL: there are none */
	size_t block_count;
};

/* Is it there, and are these options to be had?  NULL is. */
bool skuai_pack_is_valid(const void *array, size_t count, size_t bytes,
			 const struct skua_pack_options *options);

/* Move everything together.  pack->kept is all that was kept then; the caller frees the blocks. */
void skuai_pack_run(struct skua_pool *pool, struct skuai_pack *pack, uintptr_t who,
		    const struct skua_pack_options *options);

#endif
