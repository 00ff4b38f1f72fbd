/* SPDX-License-Identifier: MIT */
/* plain_fib.c — fib in plain C: as the compiler likes it, or with two real calls (TWO_CALLS) */
#include <stdio.h>
#include <stdlib.h>

/* An empty asm after a call keeps the compiler from turning it into a loop. */
#ifdef TWO_CALLS
#define KEPT_APART() __asm__ volatile("")
#else
#define KEPT_APART() ((void)0)
#endif

__attribute__((noinline)) static long fib(int n)
{
	if (n < 2)
		return n;
	long a = fib(n - 1);
	KEPT_APART();
	long b = fib(n - 2);
	KEPT_APART();
	return a + b;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	printf("%ld\n", fib(atoi(argv[1])));
	return 0;
}
