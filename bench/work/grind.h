/* SPDX-License-Identifier: MIT */
/* grind.h — a stretch of work without forks, of a known length and with a known result */
#ifndef SKUA_WORK_GRIND_H
#define SKUA_WORK_GRIND_H

#include <stdint.h>

/* Turns of the mill for about a microsecond: four cycles each, so at some 3 GHz. */
#define GRIND_US 780

/* Work on `seed` for so many turns.  Nothing in it asks for or gives way to anybody. */
uint64_t grind(uint64_t seed, uint64_t turns);

/* What that gives, without the work. */
uint64_t grind_answer(uint64_t seed, uint64_t turns);

#endif
