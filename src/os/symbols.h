/* SPDX-License-Identifier: MIT */
/* symbols.h — what the function at an address is called, as far as the program's files tell */
#ifndef SKUAI_OS_SYMBOLS_H
#define SKUAI_OS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

/*
 * The dynamic linker knows the functions that a program exports.  Tasks are static, so the symbol
 * table of the file itself is read: it is there unless somebody stripped it.  Tables are kept until
 * close, so that many names cost little more than one.
 */
struct skuai_symbols;

/* NULL: no memory; then nothing has a name but its address. */
struct skuai_symbols *skuai_symbols_open(void);
void skuai_symbols_close(struct skuai_symbols *symbols);

/*
 * The name of the function that holds this address, as it is written in C; or "program+0x12ab", or
 * "0x12ab".  Always ended by a zero; room is 32 at least.  symbols may be NULL.
 */
void skuai_symbols_name(struct skuai_symbols *symbols, uintptr_t address, char *name, size_t room);

#endif
