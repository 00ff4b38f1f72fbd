/* SPDX-License-Identifier: MIT */
/* map.h — arrays and grids: map, transform in place, fill, loops over tiles */
#ifndef SKUA_MAP_H
#define SKUA_MAP_H

#include <skua/loop.h>

SKUA_BEGIN_C

/*
 *	SKUA_MAP(to_celsius, float, from, double, to, const struct scale *, scale)
 *	{
 *		*to = (*from - scale->zero) / scale->step;
 *	}
 *	...
 *	int error = skua_map(pool, degrees, sizeof(float), celsius, sizeof(double), count,
 *			     to_celsius, &scale, NULL);
 *
 * All run as skua_for does, over the elements of an array; options.reach counts elements.  Sizes of
 * which an array's elements are no part, as sizeof(float) of doubles, do not compile, if the
 * compiler optimizes; that a body is for those types is not checked.
 */

/** So many elements of one array into as many of another.  0, or an error code: it stops. */
typedef int skua_map_body(struct skua_slot *skua_here, const void *in, void *out, uint64_t count,
			  void *argument);

/* Begin the definition of one, for one element: it reads *in and writes *out. */
#define SKUA_MAP(name, in_type, in, out_type, out, type, argument)                               \
	static inline void name##_skua_item(struct skua_slot *skua_here, in_type const *in,      \
					    out_type *out, type argument);                       \
	static int name(struct skua_slot *skua_here, const void *skua_in, void *skua_out,        \
			uint64_t skua_count, void *skua_argument)                                \
	{                                                                                        \
		in_type const *skua_from = (in_type const *)skua_in;                             \
		out_type *skua_to = (out_type *)skua_out;                                        \
		for (uint64_t skua_i = 0; skua_i < skua_count; skua_i++)                         \
			name##_skua_item(skua_here, skua_from + skua_i, skua_to + skua_i,        \
					 (type)skua_argument);                                   \
		return 0;                                                                        \
	}                                                                                        \
	static inline void name##_skua_item(struct skua_slot *skua_here __attribute__((unused)), \
					    in_type const *in __attribute__((unused)),           \
					    out_type *out, type argument __attribute__((unused)))

/**
 * Make each element of an array from the one at the same place of another: skua_map(where, in,
 * in_bytes, out, out_bytes, count, body, argument, options).  The two arrays may be the same if the
 * elements have the same size; they must not overlap otherwise.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no array, elements of no size, more than there can be, arrays that
 *           overlap, no body, wrong options; else as skua_for
 * Cost      as skua_for
 * See       examples/26_map.c, man skua_map
 */
SKUA_API int skua_array_map(struct skua_pool *pool, const void *in, size_t in_bytes, void *out,
			    size_t out_bytes, size_t count, skua_map_body *body,
			    const void *argument, const struct skua_loop_options *options)
	SKUA_OPAQUE(8);
#define skua_map(where, in, in_bytes, out, out_bytes, count, body, argument, options)             \
	(SKUA_FITS_BYTES(in, in_bytes), SKUA_FITS_BYTES(out, out_bytes),                          \
	 skua_array_map(SKUA_WHERE(where), (in), (in_bytes), (out), (out_bytes), (count), (body), \
			(argument), (options)))

/** Change so many elements of an array.  0, or an error code: it stops. */
typedef int skua_transform_body(struct skua_slot *skua_here, void *items, uint64_t count,
				void *argument);

/* Begin the definition of one, for one element: it changes *item. */
#define SKUA_TRANSFORM(name, item_type, item, type, argument)                                    \
	static inline void name##_skua_item(struct skua_slot *skua_here, item_type *item,        \
					    type argument);                                      \
	static int name(struct skua_slot *skua_here, void *skua_items, uint64_t skua_count,      \
			void *skua_argument)                                                     \
	{                                                                                        \
		item_type *skua_first = (item_type *)skua_items;                                 \
		for (uint64_t skua_i = 0; skua_i < skua_count; skua_i++)                         \
			name##_skua_item(skua_here, skua_first + skua_i, (type)skua_argument);   \
		return 0;                                                                        \
	}                                                                                        \
	static inline void name##_skua_item(struct skua_slot *skua_here __attribute__((unused)), \
					    item_type *item,                                     \
					    type argument __attribute__((unused)))

/**
 * Change each element of an array: skua_transform(where, array, count, bytes, body, argument,
 * options).
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no array, elements of no size, more than there can be, no body, wrong
 *           options; else as skua_for
 * Cost      as skua_for
 * See       examples/26_map.c, man skua_map
 */
SKUA_API int skua_array_transform(struct skua_pool *pool, void *array, size_t count, size_t bytes,
				  skua_transform_body *body, const void *argument,
				  const struct skua_loop_options *options) SKUA_OPAQUE(6);
#define skua_transform(where, array, count, bytes, body, argument, options)                     \
	(SKUA_FITS_BYTES(array, bytes),                                                         \
	 skua_array_transform(SKUA_WHERE(where), (array), (count), (bytes), (body), (argument), \
			      (options)))

/**
 * Copy a value to each element of an array: skua_fill(where, array, count, bytes, &value, options).
 * The value may be an element of the array.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no array, no value, elements of no size, more than there can be, a value
 *           that overlaps elements without being one, wrong options; else as skua_for
 * Cost      what writing the memory costs
 * See       examples/26_map.c, man skua_map
 */
SKUA_API int skua_array_fill(struct skua_pool *pool, void *array, size_t count, size_t bytes,
			     const void *value, const struct skua_loop_options *options);
#define skua_fill(where, array, count, bytes, value, options)          \
	(SKUA_FITS_BYTES(array, bytes), SKUA_FITS_BYTES(value, bytes), \
	 skua_array_fill(SKUA_WHERE(where), (array), (count), (bytes), (value), (options)))

/* --- tiles --- */

/*
 *	SKUA_LOOP_2D(turn, struct matrix *, m, row, column)
 *	{
 *		m->out[column * m->rows + row] = m->in[row * m->columns + column];
 *	}
 *	...
 *	struct skua_tile all = SKUA_TILE_2D(0, m.rows, 0, m.columns);
 *	int error = skua_for_tiles(pool, &all, NULL, turn, &m, NULL);
 */

/** A box of a grid: in each direction the indices from lo on, before hi. */
struct skua_tile {
	uint64_t lo[3], hi[3]; /* the last varies fastest; two directions: lo[2] = 0, hi[2] = 1 */
};

#define SKUA_TILE_2D(lo0, hi0, lo1, hi1) \
	{                                \
		{ (lo0), (lo1), 0 },     \
		{                        \
			(hi0), (hi1), 1  \
		}                        \
	}
#define SKUA_TILE_3D(lo0, hi0, lo1, hi1, lo2, hi2) \
	{                                          \
		{ (lo0), (lo1), (lo2) },           \
		{                                  \
			(hi0), (hi1), (hi2)        \
		}                                  \
	}

/** For all indices of a tile.  0, or an error code: the loop stops. */
typedef int skua_tile_body(struct skua_slot *skua_here, const struct skua_tile *tile,
			   void *argument);

/* Begin the definition of a body for one place of a grid. */
#define SKUA_LOOP_2D(name, type, argument, i, j)                                                  \
	static inline void name##_skua_item(struct skua_slot *skua_here, type argument,           \
					    uint64_t i, uint64_t j);                              \
	static int name(struct skua_slot *skua_here, const struct skua_tile *skua_tile,           \
			void *skua_argument)                                                      \
	{                                                                                         \
		uint64_t skua_end = skua_tile->hi[1];                                             \
		for (uint64_t skua_i = skua_tile->lo[0]; skua_i < skua_tile->hi[0]; skua_i++)     \
			for (uint64_t skua_j = skua_tile->lo[1]; skua_j < skua_end; skua_j++)     \
				name##_skua_item(skua_here, (type)skua_argument, skua_i, skua_j); \
		return 0;                                                                         \
	}                                                                                         \
	static inline void name##_skua_item(struct skua_slot *skua_here __attribute__((unused)),  \
					    type argument __attribute__((unused)),                \
					    uint64_t i __attribute__((unused)),                   \
					    uint64_t j __attribute__((unused)))

#define SKUA_LOOP_3D(name, type, argument, i, j, k)                                              \
	static inline void name##_skua_item(struct skua_slot *skua_here, type argument,          \
					    uint64_t i, uint64_t j, uint64_t k);                 \
	static int name(struct skua_slot *skua_here, const struct skua_tile *skua_tile,          \
			void *skua_argument)                                                     \
	{                                                                                        \
		uint64_t skua_end = skua_tile->hi[2];                                            \
		for (uint64_t skua_i = skua_tile->lo[0]; skua_i < skua_tile->hi[0]; skua_i++)    \
			for (uint64_t skua_j = skua_tile->lo[1]; skua_j < skua_tile->hi[1];      \
			     skua_j++)                                                           \
				for (uint64_t skua_k = skua_tile->lo[2]; skua_k < skua_end;      \
				     skua_k++)                                                   \
					name##_skua_item(skua_here, (type)skua_argument, skua_i, \
							 skua_j, skua_k);                        \
		return 0;                                                                        \
	}                                                                                        \
	static inline void name##_skua_item(                                                     \
		struct skua_slot *skua_here __attribute__((unused)),                             \
		type argument __attribute__((unused)), uint64_t i __attribute__((unused)),       \
		uint64_t j __attribute__((unused)), uint64_t k __attribute__((unused)))

/**
 * Run a body over a grid, a tile at a time: skua_for_tiles(where, &space, size, body, argument,
 * options).  Tiles have that many indices in each direction, those at the far edges what is left;
 * size NULL: as it suits, 4096 in all at most, fewer where they take long.  Tiles come in an order
 * that keeps neighbours together: whoever takes a part of the loop takes a compact part of the
 * grid.  Nothing is done when there are no indices in one direction.
 *
 * Thread    any, as skua_for
 * Memory    as skua_for
 * Ordering  as skua_for
 * Fails     SKUA_EINVAL: no space, no body, a size of 0, more than 2^64 - 1 tiles, wrong options;
 *           else as skua_for.  options.reach and options.grain count tiles of the given size.
 * Cost      as skua_for, and some ns a tile
 * See       examples/26_map.c, man skua_map
 */
SKUA_API int skua_loop_tiles(struct skua_pool *pool, const struct skua_tile *space,
			     const uint64_t *size, skua_tile_body *body, const void *argument,
			     const struct skua_loop_options *options) SKUA_OPAQUE(5);
#define skua_for_tiles(where, space, size, body, argument, options) \
	skua_loop_tiles(SKUA_WHERE(where), (space), (size), (body), (argument), (options))

SKUA_END_C

#endif
