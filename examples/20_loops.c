/* SPDX-License-Identifier: MIT */
/* 20_loops.c — a parallel loop: no grain to choose, errors stop it, and it says how far it got */
#include <inttypes.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

#define SIDE 400

/* The escape time of one point of the Mandelbrot set: cheap outside, dear inside. */
static unsigned escape(double x, double y)
{
	double a = 0, b = 0;
	unsigned turns = 0;

	for (; turns < 500 && a * a + b * b < 4; turns++) {
		double next = a * a - b * b + x;
		b = 2 * a * b + y;
		a = next;
	}
	return turns;
}

struct picture {
	unsigned *points;
	unsigned side;
};

/* The body for one index: a row.  Rows cost from microseconds to milliseconds. */
SKUA_LOOP(draw_row, struct picture *, picture, row)
{
	for (unsigned i = 0; i < picture->side; i++)
		picture->points[row * picture->side + i] = escape(
			3.0 * i / picture->side - 2.2, 2.4 * (double)row / picture->side - 1.2);
}

/* One that can fail: the number of a row with nothing of the set in it is an error. */
SKUA_LOOP_TRY(check_row, struct picture *, picture, row)
{
	for (unsigned i = 0; i < picture->side; i++)
		if (picture->points[row * picture->side + i] == 500)
			return 0;
	return -1000;
}

int main(void)
{
	struct picture picture = { calloc((size_t)SIDE * SIDE, sizeof(unsigned)), SIDE };
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };
	uint64_t inside = 0, expected = 0;

	if (!picture.points)
		return 1;
	/* NULL: in the default pool.  In a task, skua_here stands there. */
	int error = skua_for(NULL, 0, SIDE, draw_row, &picture, NULL);
	if (error) {
		fprintf(stderr, "20_loops: %s\n", skua_strerror(error));
		return 1;
	}
	for (unsigned i = 0; i < SIDE * SIDE; i++)
		inside += picture.points[i] == 500;
	for (unsigned row = 0; row < SIDE; row++)
		for (unsigned i = 0; i < SIDE; i++)
			expected += escape(3.0 * i / SIDE - 2.2, 2.4 * row / SIDE - 1.2) == 500;
	printf("%" PRIu64 " of %d points are in the set\n", inside, SIDE * SIDE);

	/* The first row is outside of it: the loop stops there, and others may have been done. */
	error = skua_for(NULL, 0, SIDE, check_row, &picture, &options);
	printf("error %d: row %" PRIu64 " is outside of it\n", error, reach.first);
	free(picture.points);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	return inside == expected && error == -1000 && reach.first == 0 ? 0 : 1;
}
