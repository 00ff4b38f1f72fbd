/* SPDX-License-Identifier: MIT */
/* algorithms.cpp — every typed macro of the algorithms in C++17, on vectors, const ones too */
#include <cstdio>
#include <skua/skua.h>
#include <vector>
struct P {
	int x, y;
};
SKUA_LOOP(twice, P *, p, i)
{
	p[i].x *= 2;
}
SKUA_LOOP_TRY(tryit, const P *, p, i)
{
	return p[i].x < 0 ? -1000 : 0;
}
SKUA_FOLD(total, long, sum, const P *, p, i)
{
	*sum += p[i].x;
}
SKUA_FOLD_INIT(total, long, sum)
{
	*sum = 0;
}
SKUA_FOLD_MERGE_INIT(total, long, sum, next)
{
	*sum += *next;
}
SKUA_SORT(by_x, P, a, b)
{
	return a->x < b->x;
}
SKUA_SCAN(add, long, sum, next)
{
	*sum += *next;
}
SKUA_FILTER(even, int, e, void *, unused)
{
	return *e % 2 == 0;
}
SKUA_UNIQUE(same, int, a, b)
{
	return *a == *b;
}
SKUA_GROUP_KEY(keyx, P, r)
{
	return (uint64_t)r->x;
}
SKUA_FIND(big, const P *, p, i)
{
	return p[i].x > 1000;
}
SKUA_MIN_MAX(range, int, a, b)
{
	return *a < *b;
}
SKUA_HISTOGRAM(bin, const int *, v, i)
{
	return (uint64_t)v[i] % 10;
}
SKUA_MAP(conv, int, in, double, out, void *, u)
{
	*out = *in;
}
SKUA_TRANSFORM(inc, int, it, void *, u)
{
	++*it;
}
SKUA_LOOP_2D(cell, int *, v, i, j)
{
	v[i * 10 + j] = (int)(i + j);
}
static int count_up(struct skua_slot *, void *number)
{
	++*(int *)number;
	return 0;
}
int main()
{
	std::vector<P> v(1000);
	for (int i = 0; i < 1000; i++)
		v[(size_t)i] = { 1000 - i, i };
	const std::vector<P> &cv = v;
	long sum;
	size_t kept, mn, mx;
	uint64_t at;
	std::vector<int> a(100), b(100);
	std::vector<long> l(100, 1);
	std::vector<double> d(100);
	uint64_t counts[10];
	for (int i = 0; i < 100; i++)
		a[(size_t)i] = i / 2;
	int e = skua_for(NULL, 0, v.size(), twice, v.data(), NULL);
	e |= skua_for(nullptr, 0, v.size(), tryit, cv.data(), nullptr);
	e |= skua_reduce(NULL, 0, v.size(), total, cv.data(), &sum, NULL);
	e |= by_x(NULL, v.data(), v.size(), NULL);
	e |= skua_scan(NULL, l.data(), l.data(), l.size(), add, NULL);
	e |= skua_filter(NULL, a.data(), b.data(), a.size(), even, NULL, &kept, NULL);
	e |= skua_unique(NULL, a.data(), b.data(), a.size(), same, NULL, &kept, NULL);
	struct skua_groups g;
	e |= skua_group_by(NULL, v.data(), v.size(), keyx, NULL, &g, NULL);
	skua_groups_free(&g);
	e |= skua_find_first(NULL, 0, v.size(), big, cv.data(), &at, NULL);
	e |= range(NULL, a.data(), a.size(), &mn, &mx, NULL);
	e |= skua_histogram(NULL, 0, a.size(), bin, a.data(), 10, counts, NULL);
	e |= skua_map(NULL, a.data(), sizeof(int), d.data(), sizeof(double), a.size(), conv, NULL,
		      NULL);
	e |= skua_transform(NULL, a.data(), a.size(), sizeof(int), inc, NULL, NULL);
	struct skua_tile t = SKUA_TILE_2D(0, 10, 0, 10);
	e |= skua_for_tiles(NULL, &t, NULL, cell, a.data(), NULL);
	int one = 0, two = 1;
	e |= skua_invoke(NULL, SKUA_CALLS({ count_up, &one }, { count_up, &two }), NULL);
	e |= skua_invoke(NULL, SKUA_CALLS({ count_up, &two }), nullptr);
	const struct skua_call again[] = { { count_up, &one }, { count_up, &two } };
	e |= skua_invoke(NULL, again, 2, NULL);
	/* Any memory, and none, where elements of a type are wanted. */
	const void *any = l.data();
	e |= skua_scan(NULL, any, (void *)l.data(), 0, add, NULL);
	e |= skua_scan(NULL, NULL, nullptr, 0, add, NULL);
	e |= skua_fill(NULL, (void *)a.data(), 0, sizeof(int), &one, NULL);
	bool is_right = one == 2 && two == 4 && sum == 1001000 && kept == 50 && mn == 0 &&
			mx == 98 && at == 500 && v[0].x == 2 && l[99] == 100 && d[99] == 49 &&
			counts[0] == 10;
	if (!is_right)
		printf("sum %ld, kept %zu, from %zu to %zu, first %llu\n", sum, kept, mn, mx,
		       (unsigned long long)at);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	return e || !is_right;
}
