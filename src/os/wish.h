/* SPDX-License-Identifier: MIT */
/* wish.h — what a variable of the environment asks for: yes, no, or a word nobody knows */
#ifndef SKUAI_OS_WISH_H
#define SKUAI_OS_WISH_H

#include "base/atomic.h"

#include <stdbool.h>

/*
 * What the variable `name` says with this text (NULL: it is not set).  "1" is yes; nothing, "" and
 * "0" are no; anything else is no, and one line on standard error says so, once: *is_told.
 */
bool skuai_wish(const char *name, const char *text, _Atomic bool *is_told);

#endif
