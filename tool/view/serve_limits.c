/* SPDX-License-Identifier: MIT */
/* serve_limits.c — how long a client of the server may take, and who gives way to a new one */
#include "view/serve_limits.h"

/* Two limits: who has taken much may pause, but not for ever; who takes a byte now and then may
 * not go on with it. */
int64_t serve_answer_until(int64_t begin_ns, int64_t moved_ns, size_t sent)
{
	int64_t stall_end = moved_ns + SERVE_STALL_NS;
	int64_t rate_end = begin_ns + SERVE_STALL_NS + (int64_t)sent * (1000000000 / SERVE_RATE);

	return stall_end < rate_end ? stall_end : rate_end;
}

/* 0, 1, 2: the lower, the less it is of use to keep it. */
static unsigned worth(const struct serve_place *place, int64_t now)
{
	if (now - place->moved_ns < SERVE_KEEP_NS)
		return 2;
	return place->is_writing;
}

bool serve_goes_first(const struct serve_place *one, const struct serve_place *other, int64_t now)
{
	unsigned of_one = worth(one, now), of_other = worth(other, now);

	return of_one < of_other || (of_one == of_other && one->moved_ns < other->moved_ns);
}
