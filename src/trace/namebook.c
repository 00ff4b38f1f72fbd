/* SPDX-License-Identifier: MIT */
/* namebook.c — short numbers for names: of functions, and of what a program calls its things */
#include "trace/namebook.h"

#include "base/alloc.h"
#include "base/atomic.h"

#include <stdbool.h>
#include <string.h>

/*
 * A hash table of fixed size that is only added to, without a lock: a worker in the middle of a
 * task asks here, and so may a child of fork().  An entry is made whole and then put into the first
 * free place of its row by one CAS; who loses looks at what won, which may be the same name.  The
 * number of an entry is its place, and one.
 */
#define LOOKS_MOST 64 /* in a row; then the book is as good as full */

struct name {
	uintptr_t address;
	size_t bytes; /* of the text; 0: a function */
	char text[];
};

static _Atomic(struct name *) names[SKUAI_NAMES_MOST];

static uint32_t hash_of(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ at[i]) * 0x100000001b3;
	return (uint32_t)(hash ^ hash >> 32);
}

static bool is_name(const struct name *name, uintptr_t address, const char *text, size_t bytes)
{
	return name->address == address && name->bytes == bytes &&
	       (bytes == 0 || memcmp(name->text, text, bytes) == 0);
}

static struct name *make_name(uintptr_t address, const char *text, size_t bytes)
{
	struct name *name = skuai_alloc(1, sizeof(*name) + bytes + 1);

	if (!name)
		return NULL;
	name->address = address;
	name->bytes = bytes;
	if (bytes)
		memcpy(name->text, text, bytes);
	return name;
}

static uint32_t number_of(uint32_t hash, uintptr_t address, const char *text, size_t bytes)
{
	struct name *made = NULL;

	for (uint32_t i = 0; i < LOOKS_MOST; i++) {
		uint32_t place = (hash + i) % SKUAI_NAMES_MOST;
		/* order namebook.find.1: acquire, pairs .2; the entry */
		struct name *there = skua_load(&names[place], acquire);
		if (!there && !made && !(made = make_name(address, text, bytes)))
			return 0;
		/* order namebook.find.2: acq_rel, pairs .1, namebook.read.1; the entry */
		if (!there && skua_cas(&names[place], &there, made, acq_rel, acquire))
			return place + 1;
		if (is_name(there, address, text, bytes)) {
			skuai_free(made);
			return place + 1;
		}
	}
	skuai_free(made);
	return 0;
}

uint32_t skuai_name_of_text(const char *text)
{
	size_t bytes = strnlen(text, SKUAI_NAME_BYTES_MOST);

	return bytes ? number_of(hash_of(text, bytes), 0, text, bytes) : 0;
}

uint32_t skuai_name_of_function(uintptr_t address)
{
	return address ? number_of(hash_of(&address, sizeof(address)), address, NULL, 0) : 0;
}

const char *skuai_name_read(uint32_t number, uintptr_t *address)
{
	*address = 0;
	if (number == 0 || number > SKUAI_NAMES_MOST)
		return NULL;
	/* order namebook.read.1: acquire, pairs namebook.find.2 */
	const struct name *name = skua_load(&names[number - 1], acquire);
	if (!name)
		return NULL;
	*address = name->address;
	return name->bytes ? name->text : NULL;
}
