/* SPDX-License-Identifier: MIT */
/* grind.c — a stretch of work without forks, of a known length and with a known result */
#include "grind.h"

/* Each turn needs the one before; n turns at once are again x -> a x + c, found by squaring. */
#define TIMES 6364136223846793005u
#define PLUS  1442695040888963407u

__attribute__((noinline)) uint64_t grind(uint64_t seed, uint64_t turns)
{
	for (uint64_t i = 0; i < turns; i++) {
		seed = seed * TIMES + PLUS;
		__asm__ volatile("" : "+r"(seed)); /* one by one, whatever the compiler knows */
	}
	return seed;
}

uint64_t grind_answer(uint64_t seed, uint64_t turns)
{
	uint64_t times = TIMES, plus = PLUS;

	for (; turns; turns /= 2) {
		if (turns % 2)
			seed = seed * times + plus;
		plus = plus * times + plus;
		times *= times;
	}
	return seed;
}
