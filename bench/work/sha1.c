/* SPDX-License-Identifier: MIT */
/* sha1.c — SHA-1 of a few words, as the trees of UTS are grown by; for nothing that must be safe */
#include "sha1.h"

#include <string.h>

/* FIPS 180-4, section 6.1.3: sixteen words of schedule, used round and round. */

static inline uint32_t turn(uint32_t x, int n)
{
	return x << n | x >> (32 - n);
}

#define CHOOSE(b, c, d)	  ((d) ^ ((b) & ((c) ^ (d))))
#define PARITY(b, c, d)	  ((b) ^ (c) ^ (d))
#define MAJORITY(b, c, d) (((b) & (c)) | ((d) & ((b) | (c))))

#define GIVEN(t) w[(t)&15]
#define MADE(t)                                                                                   \
	(w[(t)&15] = turn(w[((t) + 13) & 15] ^ w[((t) + 8) & 15] ^ w[((t) + 2) & 15] ^ w[(t)&15], \
			  1))

#define STEP(a, b, c, d, e, f, k, word)                        \
	do {                                                   \
		(e) += turn(a, 5) + f(b, c, d) + (k) + (word); \
		(b) = turn(b, 30);                             \
	} while (0)

/* Five steps bring the letters back to their places. */
#define FIVE(f, k, word, t)                             \
	do {                                            \
		STEP(a, b, c, d, e, f, k, word(t));     \
		STEP(e, a, b, c, d, f, k, word(t + 1)); \
		STEP(d, e, a, b, c, f, k, word(t + 2)); \
		STEP(c, d, e, a, b, f, k, word(t + 3)); \
		STEP(b, c, d, e, a, f, k, word(t + 4)); \
	} while (0)
#define TWENTY(f, k, t)                   \
	do {                              \
		FIVE(f, k, MADE, t);      \
		FIVE(f, k, MADE, t + 5);  \
		FIVE(f, k, MADE, t + 10); \
		FIVE(f, k, MADE, t + 15); \
	} while (0)

/* A function of its own, so that the schedule is on nobody's stack while a tree is walked. */
__attribute__((noinline)) void sha1_words(uint32_t digest[SHA1_WORDS], const uint32_t *words,
					  unsigned count)
{
	uint32_t w[16] = { 0 };
	uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;

	memcpy(w, words, count * sizeof(*w));
	w[count] = 0x80000000;
	w[15] = 32 * count;
	FIVE(CHOOSE, 0x5a827999, GIVEN, 0);
	FIVE(CHOOSE, 0x5a827999, GIVEN, 5);
	FIVE(CHOOSE, 0x5a827999, GIVEN, 10);
	STEP(a, b, c, d, e, CHOOSE, 0x5a827999, GIVEN(15));
	STEP(e, a, b, c, d, CHOOSE, 0x5a827999, MADE(16));
	STEP(d, e, a, b, c, CHOOSE, 0x5a827999, MADE(17));
	STEP(c, d, e, a, b, CHOOSE, 0x5a827999, MADE(18));
	STEP(b, c, d, e, a, CHOOSE, 0x5a827999, MADE(19));
	TWENTY(PARITY, 0x6ed9eba1, 20);
	TWENTY(MAJORITY, 0x8f1bbcdc, 40);
	TWENTY(PARITY, 0xca62c1d6, 60);
	digest[0] = a + 0x67452301;
	digest[1] = b + 0xefcdab89;
	digest[2] = c + 0x98badcfe;
	digest[3] = d + 0x10325476;
	digest[4] = e + 0xc3d2e1f0;
}
