/* SPDX-License-Identifier: MIT */
/* 26_map.c — arrays and grids: fill, map, transform in place, and a matrix turned tile by tile */
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS	700
#define COLUMNS 900
#define COUNT	((size_t)ROWS * COLUMNS)

struct scale {
	double zero, step;
};

/* From one array to another, of another type. */
SKUA_MAP(to_celsius, float, from, double, to, const struct scale *, scale)
{
	*to = (*from - scale->zero) / scale->step;
}

/* In place. */
SKUA_TRANSFORM(add_height, float, degrees, const float *, first)
{
	*degrees += (float)(degrees - first) / COUNT;
}

struct turn {
	const double *in;
	double *out;
};

/* One place of a grid; the loops over a tile are made around it. */
SKUA_LOOP_2D(turn, const struct turn *, t, row, column)
{
	t->out[column * ROWS + row] = t->in[row * COLUMNS + column];
}

static int run(float *fahrenheit, double *celsius, double *turned)
{
	const float warm = 71.6f; /* 22 degrees */
	struct scale scale = { 32, 1.8 };
	struct turn turning = { celsius, turned };
	struct skua_tile all = SKUA_TILE_2D(0, ROWS, 0, COLUMNS);

	int error = skua_fill(NULL, fahrenheit, COUNT, sizeof(float), &warm, NULL);
	if (!error)
		error = skua_transform(NULL, fahrenheit, COUNT, sizeof(float), add_height,
				       fahrenheit, NULL);
	if (!error)
		error = skua_map(NULL, fahrenheit, sizeof(float), celsius, sizeof(double), COUNT,
				 to_celsius, &scale, NULL);
	/* NULL: tiles of a size that is right for caches; they come in an order that keeps
	 * neighbours together. */
	return error ? error : skua_for_tiles(NULL, &all, NULL, turn, &turning, NULL);
}

int main(void)
{
	float *fahrenheit = calloc(COUNT, sizeof(*fahrenheit));
	double *celsius = calloc(COUNT, sizeof(*celsius));
	double *turned = calloc(COUNT, sizeof(*turned));
	size_t wrong = 0;

	if (!fahrenheit || !celsius || !turned)
		return 1;
	int error = run(fahrenheit, celsius, turned);
	if (error) {
		fprintf(stderr, "26_map: %s\n", skua_strerror(error));
		return 1;
	}
	for (size_t i = 0; i < COUNT; i++) {
		float degrees = 71.6f + (float)i / COUNT;
		double away = turned[i % COLUMNS * ROWS + i / COLUMNS] -
			      ((double)degrees - 32) / 1.8;
		wrong += away > 1e-9 || away < -1e-9;
	}
	printf("%.2f to %.2f degrees, %zu wrong\n", turned[0], turned[COUNT - 1], wrong);
	free(fahrenheit);
	free(celsius);
	free(turned);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	return wrong == 0 ? 0 : 1;
}
