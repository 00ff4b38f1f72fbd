/* SPDX-License-Identifier: MIT */
/* threadinfo.h — what the kernel tells about this process and one of its threads */
#ifndef SKUAI_OS_THREADINFO_H
#define SKUAI_OS_THREADINFO_H

#include "os/symbols.h"

#include <stddef.h>
#include <stdint.h>

/* When this process began, in the kernel's ticks since boot: with its number, that is it and no
 * other.  0: /proc is not to be had. */
uint64_t skuai_process_start(void);

/* Which processes its number is told apart from; 0: the system does not tell. */
uint64_t skuai_process_namespace(void);

struct skuai_thread_info {
	char state;	   /* as in /proc: R runs, S sleeps, D sleeps and cannot be woken; 0: ? */
	char wait[64];	   /* the kernel function it sleeps in; "": it runs, or that is secret */
	char kernel[1024]; /* the kernel's stack of it, a line each; "": secret */
	uintptr_t stack;   /* its stack pointer while it is in a system call; 0: it is not */
	uintptr_t at;	   /* likewise the address it will go on at */
};

/* Look at the thread of this process with that number. */
void skuai_thread_info(uint32_t tid, struct skuai_thread_info *info);

/*
 * Functions whose addresses lie on its stack, newest first, a line each.  They are found by
 * looking, not by unwinding: left-overs of earlier calls may be among them.  How many.
 */
unsigned skuai_thread_calls(const struct skuai_thread_info *info, struct skuai_symbols *symbols,
			    char *text, size_t room);

#endif
