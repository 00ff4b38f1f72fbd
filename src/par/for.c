/* SPDX-License-Identifier: MIT */
/* for.c — skua_for: a body over a range of indices */
#include "par/split.h"

#include <skua/error.h>

int skua_loop_for(struct skua_pool *pool, uint64_t lo, uint64_t hi, skua_loop_body *body,
		  const void *argument, const struct skua_loop_options *options)
{
	const struct skuai_work work = { .body = body, .argument = (void *)argument };

	if (!body || !skuai_loop_options_are_valid(options))
		return SKUA_EINVAL;
	return skuai_split(pool, lo, hi, &work, options);
}
