/* SPDX-License-Identifier: MIT */
/* namebook.h — short numbers for names: of functions, and of what a program calls its things */
#ifndef SKUAI_TRACE_NAMEBOOK_H
#define SKUAI_TRACE_NAMEBOOK_H

#include <stddef.h>
#include <stdint.h>

/*
 * One book for the process: a number means the same in every trace.  Numbers stay for ever.  The
 * book has room for NAMES_MOST; what finds none, and what there is no memory for, is number 0.
 */
#define SKUAI_NAMES_MOST      4096
#define SKUAI_NAME_BYTES_MOST 255 /* a longer text is cut */

uint32_t skuai_name_of_text(const char *text);

/* What it is called is looked up when it is asked for. */
uint32_t skuai_name_of_function(uintptr_t address);

/* What stands under a number: a text, or NULL and an address, or NULL and 0: nothing. */
const char *skuai_name_read(uint32_t number, uintptr_t *address);

#endif
