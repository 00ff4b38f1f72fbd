/* SPDX-License-Identifier: MIT */
/* test_tiles.c — skua_for_tiles: every place of a grid once, in tiles that lie together */
#include "unit/test_pool.h"

#include "base/fault.h"

#include <skua/map.h>

static const int worker_counts[] = { 1, 2, 3, 8, 64 };
#define WIDTHS (sizeof(worker_counts) / sizeof(worker_counts[0]))

/* --- every place once --- */

struct grid {
	struct skua_tile space;
	const uint64_t *size;	 /* of a tile; NULL: any */
	_Atomic uint8_t *places; /* how often each was run */
	_Atomic uint32_t wrong;	 /* tiles that are not as they should be */
	_Atomic uint32_t tiles;
};

static uint64_t extent(const struct skua_tile *tile, unsigned d)
{
	return tile->lo[d] < tile->hi[d] ? tile->hi[d] - tile->lo[d] : 0;
}

static uint64_t places_of(const struct skua_tile *tile)
{
	return extent(tile, 0) * extent(tile, 1) * extent(tile, 2);
}

static void mark(struct grid *grid, uint64_t i, uint64_t j, uint64_t k)
{
	const struct skua_tile *space = &grid->space;
	uint64_t place = i - space->lo[0];

	place = place * extent(space, 1) + (j - space->lo[1]);
	place = place * extent(space, 2) + (k - space->lo[2]);
	skua_add(&grid->places[place], 1, relaxed);
}

SKUA_LOOP_2D(mark_2d, struct grid *, grid, i, j)
{
	mark(grid, i, j, 0);
}

SKUA_LOOP_3D(mark_3d, struct grid *, grid, i, j, k)
{
	mark(grid, i, j, k);
}

/* In the space, at a multiple of the size, and smaller than that only at the far edge. */
static bool is_proper(const struct grid *grid, const struct skua_tile *tile)
{
	for (unsigned d = 0; d < 3; d++) {
		uint64_t begin = grid->space.lo[d], end = grid->space.hi[d];
		if (tile->lo[d] < begin || tile->hi[d] > end || tile->lo[d] >= tile->hi[d])
			return false;
		if (grid->size && ((tile->lo[d] - begin) % grid->size[d] != 0 ||
				   (tile->hi[d] != end && extent(tile, d) != grid->size[d])))
			return false;
	}
	return grid->size || places_of(tile) <= 4096;
}

static int mark_tile(struct skua_slot *skua_here, const struct skua_tile *tile, void *argument)
{
	struct grid *grid = argument;

	skua_add(&grid->tiles, 1, relaxed);
	if (!is_proper(grid, tile)) {
		skua_add(&grid->wrong, 1, relaxed);
		return 0;
	}
	return mark_3d(skua_here, tile, argument);
}

static void expect_each_once(struct skua_pool *pool, struct skua_tile space, const uint64_t *size,
			     skua_tile_body *body)
{
	uint64_t count = places_of(&space), place = 0;
	struct grid grid = { .space = space, .size = size, .places = calloc(count + 1, 1) };

	assert_non_null(grid.places);
	int error = skua_for_tiles(pool, &space, size, body, &grid, NULL);
	while (place < count && skua_load(&grid.places[place], relaxed) == 1)
		place++;
	if (error || place < count || skua_load(&grid.places[count], relaxed) ||
	    skua_load(&grid.wrong, relaxed))
		fail_msg("%u workers, %llu x %llu x %llu: error %d, %u wrong tiles, place %llu",
			 skua_pool_workers(pool), (unsigned long long)extent(&space, 0),
			 (unsigned long long)extent(&space, 1),
			 (unsigned long long)extent(&space, 2), error,
			 skua_load(&grid.wrong, relaxed), (unsigned long long)place);
	free(grid.places);
}

static void test_tiles_each_place_once(void **state)
{
	static const struct skua_tile spaces[] = {
		SKUA_TILE_2D(0, 1, 0, 1),
		SKUA_TILE_2D(0, 100, 0, 70),
		SKUA_TILE_2D(5, 8, 1000, 9003),
		SKUA_TILE_2D(0, 20000, 7, 8),
		SKUA_TILE_3D(0, 30, 1, 31, 2, 33),
		SKUA_TILE_3D(0, 1, 0, 1, 3, 9000),
		SKUA_TILE_3D(3, 5, 0, 1000, 0, 3),
		SKUA_TILE_2D(4, 4, 0, 9),
		SKUA_TILE_2D(0, 9, 6, 3),
		SKUA_TILE_2D(UINT64_MAX - 50, UINT64_MAX, UINT64_MAX - 61, UINT64_MAX),
	};
	static const uint64_t sizes[][3] = { { 7, 13, 1 },
					     { 1, 200, 5 },
					     { UINT64_MAX, 3, UINT64_MAX } };

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		for (unsigned s = 0; s < sizeof(spaces) / sizeof(spaces[0]); s++) {
			if (spaces[s].hi[2] == 1 && spaces[s].lo[2] == 0)
				expect_each_once(pool, spaces[s], NULL, mark_2d);
			expect_each_once(pool, spaces[s], NULL, mark_tile);
			for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
				expect_each_once(pool, spaces[s], sizes[i], mark_tile);
		}
		for (unsigned round = 0; round < 20; round++) {
			uint64_t size[3], hi[3];
			for (unsigned d = 0; d < 3; d++) {
				size[d] = 1 + test_random() % 9;
				hi[d] = test_random() % 25;
			}
			struct skua_tile space = SKUA_TILE_3D(0, hi[0], 0, hi[1], 0, hi[2]);
			expect_each_once(pool, space, size, mark_tile);
		}
		pool_end(pool);
	}
}

/* --- sizes that nobody gave --- */

static int count_tile(struct skua_slot *skua_here, const struct skua_tile *tile, void *argument)
{
	struct grid *grid = argument;

	(void)skua_here;
	skua_add(&grid->tiles, 1, relaxed);
	if (!is_proper(grid, tile))
		skua_add(&grid->wrong, 1, relaxed);
	return 0;
}

/* What one call of the loop's body has is put together to large tiles. */
static void test_tiles_of_chosen_size(void **state)
{
	static const struct {
		struct skua_tile space;
		uint32_t least, most; /* tiles */
	} rows[] = {
		{ SKUA_TILE_2D(0, 1024, 0, 1024), 256, 256 },
		{ SKUA_TILE_2D(0, 2, 0, 1024 * 512), 256, 256 },
		{ SKUA_TILE_3D(0, 128, 0, 128, 0, 128), 512, 512 },
		{ SKUA_TILE_2D(0, 64, 0, 64), 1, 1 },
		{ SKUA_TILE_2D(0, 300, 0, 300), 22, 50 },
		{ SKUA_TILE_3D(0, 5, 0, 50, 0, 500), 31, 70 },
	};
	struct skua_loop_options options = { .size = sizeof(options), .grain = 1000000 };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct grid grid = { .space = rows[i].space };
		int error = skua_for_tiles(pool, &grid.space, NULL, count_tile, &grid, &options);
		uint32_t tiles = skua_load(&grid.tiles, relaxed);
		if (error || tiles < rows[i].least || tiles > rows[i].most)
			fail_msg("row %u: error %d, %u tiles", i, error, tiles);
		assert_int_equal(skua_load(&grid.wrong, relaxed), 0);
	}
	pool_end(pool);
}

static int spin_in_tile(struct skua_slot *skua_here, const struct skua_tile *tile, void *argument)
{
	spin_for((int64_t)places_of(tile) * 50000);
	return count_tile(skua_here, tile, argument);
}

/* A few places that take long are a tile each. */
static void test_tiles_that_take_long_are_small(void **state)
{
	struct grid grid = { .space = SKUA_TILE_2D(0, 10, 0, 20) };

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_for_tiles(pool, &grid.space, NULL, spin_in_tile, &grid, NULL),
			 SKUA_OK);
	assert_int_equal(skua_load(&grid.wrong, relaxed), 0);
	assert_in_range(skua_load(&grid.tiles, relaxed), 100, 200);
	pool_end(pool);
}

/* --- neighbours --- */

struct walk {
	struct skua_tile tiles[512];
	unsigned count;
};

static int note_tile(struct skua_slot *skua_here, const struct skua_tile *tile, void *argument)
{
	struct walk *walk = argument;

	(void)skua_here;
	walk->tiles[walk->count++] = *tile;
	return 0;
}

static struct skua_tile box_around(const struct skua_tile *tiles, unsigned count)
{
	struct skua_tile box = tiles[0];

	for (unsigned i = 1; i < count; i++)
		for (unsigned d = 0; d < 3; d++) {
			box.lo[d] = box.lo[d] < tiles[i].lo[d] ? box.lo[d] : tiles[i].lo[d];
			box.hi[d] = box.hi[d] > tiles[i].hi[d] ? box.hi[d] : tiles[i].hi[d];
		}
	return box;
}

/* One worker goes in order; each power of two of them is a square or a cube, or two of those. */
static void test_tiles_of_a_part_lie_together(void **state)
{
	static const struct {
		struct skua_tile space;
		unsigned count;
	} rows[] = { { SKUA_TILE_2D(0, 16, 0, 16), 256 },
		     { SKUA_TILE_3D(0, 8, 0, 8, 0, 8), 512 },
		     { SKUA_TILE_2D(0, 4, 0, 64), 256 } };
	static const uint64_t size[3] = { 1, 1, 1 };
	static struct walk walk;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(1);
	for (unsigned r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		walk.count = 0;
		assert_int_equal(skua_for_tiles(pool, &rows[r].space, size, note_tile, &walk, NULL),
				 SKUA_OK);
		assert_int_equal(walk.count, rows[r].count);
		for (unsigned part = 2; part <= walk.count; part *= 2)
			for (unsigned i = 0; i < walk.count; i += part) {
				struct skua_tile box = box_around(walk.tiles + i, part);
				assert_int_equal(places_of(&box), part);
				assert_true(r == 2 || extent(&box, 0) <= 2 * extent(&box, 1));
				assert_true(r == 2 || extent(&box, 1) <= 2 * extent(&box, 0));
			}
	}
	pool_end(pool);
}

/* --- errors, refusals --- */

static int fail_in_the_middle(struct skua_slot *skua_here, const struct skua_tile *tile,
			      void *argument)
{
	(void)skua_here, (void)argument;
	return tile->lo[0] == 50 && tile->lo[1] == 50 ? -4321 : 0;
}

static void test_tiles_error_stops_them(void **state)
{
	struct skua_tile space = SKUA_TILE_2D(0, 100, 0, 100);
	const uint64_t size[3] = { 1, 1, 1 };
	struct skua_reach reach;
	struct skua_loop_options options = { .size = sizeof(options), .reach = &reach };

	(void)state;
	for (unsigned w = 0; w < WIDTHS; w++) {
		WATCH(60);
		struct skua_pool *pool = pool_of(worker_counts[w]);
		options.deadline = 0;
		assert_int_equal(
			skua_for_tiles(pool, &space, size, fail_in_the_middle, NULL, &options),
			-4321);
		assert_true(reach.count < 10000);
		options.deadline = 1;
		assert_int_equal(
			skua_for_tiles(pool, &space, size, fail_in_the_middle, NULL, &options),
			SKUA_ETIMEDOUT);
		assert_int_equal(reach.count, 0);
		pool_end(pool);
	}
}

static void test_tiles_refuses(void **state)
{
	struct skua_tile space = SKUA_TILE_2D(0, 100, 0, 100);
	struct skua_tile vast = SKUA_TILE_3D(0, (uint64_t)1 << 40, 0, (uint64_t)1 << 40, 0, 1);
	struct skua_tile all = SKUA_TILE_3D(0, UINT64_MAX, 0, UINT64_MAX, 0, UINT64_MAX);
	const uint64_t one[3] = { 1, 1, 1 }, none[3] = { 1, 0, 1 };
	struct skua_loop_options bad = { 0 };
	struct grid grid = { .space = space };

	(void)state;
	assert_int_equal(skua_for_tiles(NULL, NULL, NULL, mark_tile, &grid, NULL), SKUA_EINVAL);
	assert_int_equal(skua_for_tiles(NULL, &space, NULL, NULL, &grid, NULL), SKUA_EINVAL);
	assert_int_equal(skua_for_tiles(NULL, &space, none, mark_tile, &grid, NULL), SKUA_EINVAL);
	assert_int_equal(skua_for_tiles(NULL, &space, one, mark_tile, &grid, &bad), SKUA_EINVAL);
	assert_int_equal(skua_for_tiles(NULL, &vast, one, mark_tile, &grid, NULL), SKUA_EINVAL);
	assert_int_equal(skua_for_tiles(NULL, &all, NULL, mark_tile, &grid, NULL), SKUA_EINVAL);
	assert_int_equal(skua_load(&grid.tiles, relaxed), 0);
}

static int count_places(struct skua_slot *skua_here, const struct skua_tile *tile, void *argument)
{
	(void)skua_here;
	skua_add((_Atomic uint64_t *)argument, places_of(tile), relaxed);
	return 0;
}

static void test_tiles_of_a_vast_space(void **state)
{
	struct skua_tile space = SKUA_TILE_2D(0, (uint64_t)1 << 30, 0, ((uint64_t)1 << 30) + 1);
	const uint64_t size[3] = { (uint64_t)1 << 24, (uint64_t)1 << 23, 1 };
	_Atomic uint64_t total = 0;

	(void)state;
	WATCH(20);
	struct skua_pool *pool = pool_of(2);
	assert_int_equal(skua_for_tiles(pool, &space, size, count_places, &total, NULL), SKUA_OK);
	assert_true(skua_load(&total, relaxed) == places_of(&space));
	pool_end(pool);
}

static void test_tiles_without_a_pool(void **state)
{
	(void)state;
#ifdef SKUA_FAULTS
	struct skua_tile space = SKUA_TILE_2D(0, 100, 0, 70);

	WATCH(20);
	skuai_fault_arm(SKUAI_FAULT_THREAD, 1, true, SKUAI_FAULT_USUAL);
	expect_each_once(NULL, space, NULL, mark_tile);
	skuai_fault_disarm();
#else
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tiles_each_place_once),
		cmocka_unit_test(test_tiles_of_chosen_size),
		cmocka_unit_test(test_tiles_that_take_long_are_small),
		cmocka_unit_test(test_tiles_of_a_part_lie_together),
		cmocka_unit_test(test_tiles_error_stops_them),
		cmocka_unit_test(test_tiles_refuses),
		cmocka_unit_test(test_tiles_of_a_vast_space),
		cmocka_unit_test(test_tiles_without_a_pool),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
