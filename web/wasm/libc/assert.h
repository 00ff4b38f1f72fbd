/* SPDX-License-Identifier: MIT */
/* assert.h — the part of <assert.h> that the deque needs where there is no C library */
#ifndef SKUA_WASM_ASSERT_H
#define SKUA_WASM_ASSERT_H

#define static_assert _Static_assert

#endif
