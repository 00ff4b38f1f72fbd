/* SPDX-License-Identifier: MIT */
/* reduce.c — skua_reduce: a range of indices folded into one result */
#include "par/split.h"

#include <skua/error.h>

int skua_loop_reduce(struct skua_pool *pool, uint64_t lo, uint64_t hi, const struct skua_fold *fold,
		     const void *argument, void *result, const struct skua_loop_options *options)
{
	const struct skuai_work work = { .fold = fold,
					 .argument = (void *)argument,
					 .result = result };

	if (!fold || !fold->body || !fold->merge || !fold->bytes || !result ||
	    !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	return skuai_split(pool, lo, hi, &work, options);
}
