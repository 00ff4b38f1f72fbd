/* SPDX-License-Identifier: MIT */
/* sha1.h — SHA-1 of a few words, as the trees of UTS are grown by; for nothing that must be safe */
#ifndef SKUA_WORK_SHA1_H
#define SKUA_WORK_SHA1_H

#include <stdint.h>

#define SHA1_WORDS     5
#define SHA1_WORDS_MAX 13 /* of a message that fits one block */

/* Words stand for their four bytes, the highest first: no byte is ever swapped. */
void sha1_words(uint32_t digest[SHA1_WORDS], const uint32_t *words, unsigned count);

#endif
