/* SPDX-License-Identifier: MIT */
/* pthread.h — the one type of <pthread.h> that our headers name, where there are no threads */
#ifndef SKUA_WASM_PTHREAD_H
#define SKUA_WASM_PTHREAD_H

typedef unsigned long pthread_t;

#endif
