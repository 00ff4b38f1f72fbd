/* SPDX-License-Identifier: MIT */
/* diag.h — how impossible things are reported: a caller's bug, a broken invariant */
#ifndef SKUAI_BASE_DIAG_H
#define SKUAI_BASE_DIAG_H

/*
 * Three grades, so that a reader sees which failures are possible:
 *
 *   skua_bug(text)       the caller broke the rules; always on; text names the public function
 *   skua_verify(claim)   our own invariant, cheap enough to check in every build
 *   skua_assert(claim)   our own invariant, checked in debug builds only
 *
 * All end in one line on standard error and abort(): the state is wrong and going on would hide it.
 * What the system may refuse or a user may mistype is none of these; that is a negative code.
 */
_Noreturn void skuai_bug(const char *text);
/* The same with a name in it: "skua: bug in the calling program: <of> <name>: <text>". */
_Noreturn void skuai_bug_of(const char *of, const char *name, const char *text);
_Noreturn void skuai_broken(const char *claim, const char *file, int line);

/*
 * What the environment asked for cannot be done: "skua: <text>" on standard error, cut if it is
 * longer than a line should be, and free of bytes that move a terminal.  The program goes on; errno
 * stays as it was.  Texts say what, on what, why, and what to try.
 */
__attribute__((format(printf, 1, 2))) void skuai_warn(const char *format, ...);

/* Called once between the line and the abort, by whoever finds the first; NULL: nothing is. */
void skuai_bug_hook(void (*hook)(void));

#define skua_bug(text)	   skuai_bug(text)
#define skua_verify(claim) ((claim) ? (void)0 : skuai_broken(#claim, __FILE__, __LINE__))

#ifdef NDEBUG
#define skua_assert(claim) ((void)sizeof(!(claim))) /* names stay used, nothing is evaluated */
#else
#define skua_assert(claim) skua_verify(claim)
#endif

#endif
