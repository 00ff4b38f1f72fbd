/* SPDX-License-Identifier: MIT */
/* 15_futures.c — results that come later: of a task, after another, of all, of the first */
#include <skua/skua.h>
#include <stdio.h>

#define PARTS 8
#define STEPS 200000

SKUA_FUTURE(struct area, double); /* a struct with .future and .value */

static struct area parts[PARTS], pi, squared; /* all zero: fulfilled by nobody yet */
static struct skua_future is_over, slow, late;

/* Under the curve 4 / (1 + x * x), in one of the parts of 0..1: pi, when added up. */
static int measure(struct skua_slot *skua_here, void *argument)
{
	unsigned part = *(unsigned *)argument; /* a copy: the caller's may be gone */
	double sum = 0, width = 1.0 / PARTS / STEPS;

	(void)skua_here;
	for (unsigned i = 0; i < STEPS; i++) {
		double x = ((double)part * STEPS + i + 0.5) * width;
		sum += 4 / (1 + x * x) * width;
	}
	parts[part].value = sum; /* before the return: whoever waits sees it */
	return SKUA_OK;
}

static int square(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	(void)argument;
	squared.value = pi.value * pi.value;
	return SKUA_OK;
}

static int wait_for(struct skua_slot *skua_here, void *future)
{
	(void)skua_here;
	return skua_await(future, SKUA_FOREVER); /* its worker runs other tasks meanwhile */
}

static int fail(const char *what, int error)
{
	fprintf(stderr, "15_futures: %s: %s\n", what, skua_strerror(error));
	return 1;
}

int main(void)
{
	struct skua_future *all[PARTS], *two[2] = { &slow, &squared.future };
	size_t index = 99;
	int error = SKUA_OK;

	/* All of several: each task fulfils its future with what it returns. */
	for (unsigned i = 0; i < PARTS && !error; i++) {
		all[i] = &parts[i].future;
		error = skua_async(NULL, all[i], measure, &i); /* NULL: the default pool */
	}
	error = error ? error : skua_await_all(all, PARTS, SKUA_FOREVER);
	if (error)
		return fail("cannot measure", error);
	for (unsigned i = 0; i < PARTS; i++)
		pi.value += parts[i].value;

	/* One after another: the task runs when pi is fulfilled; here by hand. */
	error = skua_then(&pi.future, NULL, &squared.future, square, (void *)NULL);
	error = error ? error : skua_future_fulfil(&pi.future, SKUA_OK);

	/* The first of two: slow only ends when is_over is fulfilled. */
	error = error ? error : skua_async(NULL, &slow, wait_for, (void *)&is_over);
	error = error ? error : skua_then(&is_over, NULL, &late, wait_for, (void *)&is_over);
	error = error ? error : skua_await_any(two, 2, SKUA_FOREVER, &index);
	if (error)
		return fail("cannot wait for the first", error);
	printf("pi is %.9f; its square, %.9f, was the first of two\n", pi.value, squared.value);

	/* What has not started can be taken back; what runs ends by itself. */
	int cancelled = skua_future_cancel(&late);
	skua_future_fulfil(&is_over, SKUA_OK);
	error = skua_await(&slow, SKUA_FOREVER);
	printf("the one behind the other: %s\n", skua_strerror(skua_await(&late, SKUA_FOREVER)));
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	bool is_right = pi.value > 3.141592653 && pi.value < 3.141592654 && squared.value > 9.8696;
	return is_right && index == 1 && !cancelled && !error ? 0 : 1;
}
