/* SPDX-License-Identifier: MIT */
/* sim_port.c — all that the simulator needs of its host: memory, error texts, wide products */
#include "sim/sim_port.h"

#ifdef SIM_FREESTANDING
/* Compilers call these for assignments and loops, also where there is no libc. */
void *memset(void *block, int byte, size_t count);
void *memcpy(void *to, const void *from, size_t count);

void *memset(void *block, int byte, size_t count)
{
	for (unsigned char *at = block; count; count--)
		*at++ = (unsigned char)byte;
	return block;
}

void *memcpy(void *to, const void *from, size_t count)
{
	unsigned char *at = to;

	for (const unsigned char *next = from; count; count--)
		*at++ = *next++;
	return to;
}
#endif

void *sim_get(struct sim_heap *heap, uint64_t count, size_t size)
{
	if (count > SIZE_MAX / 2 / size)
		return NULL;
	size_t bytes = count ? (size_t)count * size : size;
	unsigned char *block = heap->memory.get(heap->memory.user, bytes);
	if (!block)
		return NULL;
	for (size_t i = 0; i < bytes; i++)
		block[i] = 0;
	heap->bytes += bytes;
	if (heap->bytes > heap->peak)
		heap->peak = heap->bytes;
	return block;
}

void sim_put(struct sim_heap *heap, void *block, uint64_t count, size_t size)
{
	size_t bytes = count ? (size_t)count * size : size;

	if (!block)
		return;
	heap->bytes -= bytes;
	heap->memory.put(heap->memory.user, block, bytes);
}

void *sim_grow(struct sim_heap *heap, void *block, uint64_t old, uint64_t count, size_t size)
{
	unsigned char *grown = sim_get(heap, count, size);
	const unsigned char *from = block;

	if (!grown)
		return NULL;
	for (size_t i = 0; block && i < (size_t)old * size; i++)
		grown[i] = from[i];
	if (block)
		sim_put(heap, block, old, size);
	return grown;
}

/* Digits of a number at text + at; returns where they end. */
static size_t fail_number(char *text, size_t at, size_t limit, uint64_t number)
{
	char digits[20];
	size_t count = 0;

	do {
		digits[count++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (count && at < limit)
		text[at++] = digits[--count];
	return at;
}

int sim_fail(struct sim_error *error, const char *text, uint64_t a, uint64_t b)
{
	const size_t limit = sizeof(error->text) - 1;
	size_t at = 0;

	for (; *text && at < limit; text++) {
		if (*text == '#') {
			at = fail_number(error->text, at, limit, a);
			a = b;
		} else {
			error->text[at++] = *text;
		}
	}
	error->text[at] = '\0';
	return -1;
}

int sim_fail_memory(struct sim_error *error, const struct sim_heap *heap)
{
	return sim_fail(error, "no more memory after # MiB; try fewer workers or tasks",
			heap->bytes >> 20, 0);
}

bool sim_is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* All 128 bits of a product; __int128 is a call into a library on some targets. */
static uint64_t mul_wide(uint64_t a, uint64_t b, uint64_t *high)
{
	uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	uint64_t low = al * bl;
	uint64_t middle = ah * bl + (low >> 32);
	uint64_t other = al * bh + (uint32_t)middle;

	*high = ah * bh + (middle >> 32) + (other >> 32);
	return other << 32 | (uint32_t)low;
}

uint64_t sim_mul_shift(uint64_t a, uint64_t b, unsigned shift)
{
	uint64_t high, low = mul_wide(a, b, &high);

	if (shift >= 64)
		return high >> (shift - 64);
	return shift ? high << (64 - shift) | low >> shift : low;
}

uint64_t sim_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
	uint64_t high, low = mul_wide(a, b, &high);

	if (high >= c)
		return UINT64_MAX;
	if (!high)
		return low / c;
	for (int bit = 0; bit < 64; bit++) { /* long division, one bit of the result at a time */
		bool is_over = high >> 63;
		high = high << 1 | low >> 63;
		low <<= 1;
		if (is_over || high >= c) {
			high -= c;
			low |= 1;
		}
	}
	return low;
}
