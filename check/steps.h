/* SPDX-License-Identifier: MIT */
/* steps.h — the interleaving of a failing execution, printed step by step */
#ifndef SKUA_CHECK_STEPS_H
#define SKUA_CHECK_STEPS_H

#include "base/atomic_model.h"

/* From now on every step is printed to standard output; off costs one test per step. */
void steps_show(bool is_on);

/* One step of the running thread: where, what, and (format) what came of it. */
void steps_add(const struct skuai_site *site, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* " from T1#4", " the initial value": where the last access read from; valid until the next. */
const char *steps_source(void);

#endif
