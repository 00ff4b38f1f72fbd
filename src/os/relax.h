/* SPDX-License-Identifier: MIT */
/* relax.h — what a spinning thread does between two looks */
#ifndef SKUAI_OS_RELAX_H
#define SKUAI_OS_RELAX_H

#ifdef SKUA_ATOMICS_MODEL
#include "os/thread.h"
#endif

/* Tells the core that we only wait: saves power, leaves more to a hardware sibling. */
static inline void skuai_relax(void)
{
#if defined(SKUA_ATOMICS_MODEL)
	skuai_thread_yield(); /* the case's: who looks again at once sees nothing new */
#elif defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb");
#else
	__asm__ volatile("" : : : "memory");
#endif
}

#endif
