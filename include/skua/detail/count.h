/* SPDX-License-Identifier: MIT */
/* count.h — how many arguments a macro was given, and something for each pair of them */
#ifndef SKUA_DETAIL_COUNT_H
#define SKUA_DETAIL_COUNT_H

/* The 20th of its arguments: with a list behind __VA_ARGS__, that list's n-th from the end. */
#define SKUA_20TH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, ...) t

/* `only` when there is one argument, `more` when there are more, up to 18. */
#define SKUA_ONE_OR_MORE(only, more, ...)                                                        \
	SKUA_20TH(__VA_ARGS__, more, more, more, more, more, more, more, more, more, more, more, \
		  more, more, more, more, more, more, more, only, )

/* The SKUA_EACH for the pairs behind the first two arguments: none to eight of them. */
#define SKUA_EACH_OF(...)                                                                        \
	SKUA_20TH(__VA_ARGS__, , SKUA_EACH_8, SKUA_ODD, SKUA_EACH_7, SKUA_ODD, SKUA_EACH_6,      \
		  SKUA_ODD, SKUA_EACH_5, SKUA_ODD, SKUA_EACH_4, SKUA_ODD, SKUA_EACH_3, SKUA_ODD, \
		  SKUA_EACH_2, SKUA_ODD, SKUA_EACH_1, SKUA_ODD, SKUA_EACH_0, )

/* use(type, name) for each pair; the list has one more argument, its end. */
#define SKUA_EACH_0(use, end)
#define SKUA_EACH_1(use, type, name, ...) use(type, name) SKUA_EACH_0(use, __VA_ARGS__)
#define SKUA_EACH_2(use, type, name, ...) use(type, name) SKUA_EACH_1(use, __VA_ARGS__)
#define SKUA_EACH_3(use, type, name, ...) use(type, name) SKUA_EACH_2(use, __VA_ARGS__)
#define SKUA_EACH_4(use, type, name, ...) use(type, name) SKUA_EACH_3(use, __VA_ARGS__)
#define SKUA_EACH_5(use, type, name, ...) use(type, name) SKUA_EACH_4(use, __VA_ARGS__)
#define SKUA_EACH_6(use, type, name, ...) use(type, name) SKUA_EACH_5(use, __VA_ARGS__)
#define SKUA_EACH_7(use, type, name, ...) use(type, name) SKUA_EACH_6(use, __VA_ARGS__)
#define SKUA_EACH_8(use, type, name, ...) use(type, name) SKUA_EACH_7(use, __VA_ARGS__)

#endif
