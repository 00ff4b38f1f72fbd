/* SPDX-License-Identifier: MIT */
/* unique.c — skua_unique: of equal neighbours the first is kept */
#include "base/alloc.h"
#include "par/pack_parts.h"

#include <skua/error.h>

#include <string.h>

/*
 * Each element is compared with the one before it, also with the last of the block before.  In
 * place, that one is still there: whoever moves that block together leaves its last place alone,
 * unless all of it stays where it is, and then nothing is written.  What comes after moves there
 * only when this block is through.
 */

static size_t unique_compact(const struct skuai_pack *pack, const struct skuai_span *span, char *to,
			     char *rest)
{
	const struct skua_same *same = pack->how;
	const char *in = pack->in + span->lo * pack->bytes;
	size_t kept = 0, bytes = pack->bytes;

	(void)rest;
	if (same->unique)
		return same->unique(in, to, span->hi - span->lo, span->lo > 0, pack->argument);
	for (size_t i = span->lo; i < span->hi; i++, in += bytes) {
		if (i && same->is_same(in - bytes, in, pack->argument))
			continue;
		if (to + kept * bytes != in)
			memcpy(to + kept * bytes, in, bytes);
		kept++;
	}
	return kept;
}

int skua_array_unique(struct skua_pool *pool, const void *in, void *out, size_t count,
		      const struct skua_same *same, const void *argument, size_t *kept,
		      const struct skua_pack_options *options)
{
	if (!same || !same->is_same || !kept ||
	    !skuai_pack_is_valid(in, count, same->bytes, options) || (count && !out) ||
	    (in != out && skuai_arrays_overlap(in, out, count, same->bytes)))
		return SKUA_EINVAL;
	struct skuai_pack pack = { .in = in,
				   .out = out,
				   .count = count,
				   .bytes = same->bytes,
				   .how = same,
				   .argument = (void *)argument,
				   .compact = unique_compact };
	skuai_pack_run(pool, &pack, (uintptr_t)same->is_same, options);
	skuai_free(pack.blocks);
	*kept = pack.kept;
	return SKUA_OK;
}
