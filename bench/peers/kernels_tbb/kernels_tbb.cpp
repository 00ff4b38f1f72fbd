/* SPDX-License-Identifier: MIT */
/* kernels_tbb.cpp — oneTBB: the kernels of skua bench by task_group in an arena */
#include "../kernels_peer.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

/*
 * Two arenas of as many threads: the thread of main() takes one of the places of `inside`;
 * `outside` keeps no place for it, so that all of its threads are oneTBB's own.
 */
static tbb::task_arena *inside, *outside;

/*
 * One after the other or at the same time.  parallel_invoke took 2 to 7 % longer in five of six,
 * and 18 % less in treesum:64k with two workers; a context that
 * all groups share saves a third with one worker and costs twice the time with two.
 */
template <typename F, typename G> static inline void both(const F &f, const G &g)
{
	tbb::task_group group;

	group.run(f);
	g();
	group.wait();
}

static int64_t fib_of(int n)
{
	int64_t a, b;

	if (n < 2)
		return n;
	both([&a, n] { a = fib_of(n - 1); }, [&b, n] { b = fib_of(n - 2); });
	return a + b;
}

static void run_fib(void *data)
{
	struct fib *fib = (struct fib *)data;

	inside->execute([fib] { fib->result = fib_of(fib->n); });
}

static int64_t sum_of(const struct treesum_node *node)
{
	int64_t left, right;

	if (!node->left)
		return node->value;
	both([&right, node] { right = sum_of(node->right); },
	     [&left, node] { left = sum_of(node->left); });
	return node->value + left + right;
}

static void run_treesum(void *data)
{
	struct treesum *tree = (struct treesum *)data;

	for (uint64_t i = 0; i < tree->times; i++)
		inside->execute([tree] { tree->result += sum_of(tree->root); });
}

static uint64_t net_of(uint64_t first, uint64_t leaves)
{
	uint64_t sums[SKYNET_WIDE], sum = 0, part = leaves / SKYNET_WIDE;

	if (leaves == 1)
		return first;
	tbb::task_group group; /* a leaf has none */
	for (unsigned i = 0; i < SKYNET_WIDE; i++)
		group.run([&sums, i, first, part] { sums[i] = net_of(first + i * part, part); });
	group.wait();
	for (unsigned i = 0; i < SKYNET_WIDE; i++)
		sum += sums[i];
	return sum;
}

static void run_skynet(void *data)
{
	struct skynet *net = (struct skynet *)data;

	for (uint64_t i = 0; i < net->times; i++)
		inside->execute([net] { net->result += net_of(0, net->leaves); });
}

static uint64_t queens_of(int n, int row, struct nqueens_board board)
{
	uint64_t sums[NQUEENS_MAX], sum = 0;
	unsigned count = 0;

	if (row == n)
		return 1;
	tbb::task_group group;
	for (int column = 0; column < n; column++) {
		if (nqueens_is_free(&board, row, column)) {
			uint64_t *to = &sums[count++];
			board.column[row] = (int8_t)column;
			group.run([to, n, row, board] { *to = queens_of(n, row + 1, board); });
		}
	}
	group.wait();
	while (count-- > 0)
		sum += sums[count];
	return sum;
}

static void run_nqueens(void *data)
{
	struct nqueens *queens = (struct nqueens *)data;

	inside->execute([queens] { queens->result = queens_of(queens->n, 0, nqueens_board()); });
}

/* As in uts.c: one half as one task, of a narrow range the others one by one. */
static struct uts_count range_of(const struct uts_tree *tree, struct uts_node parent,
				 unsigned first, unsigned end)
{
	struct uts_count counts[UTS_FORKED_MAX], sum = { 0, 0, 0 };
	unsigned forks = 0;

	while (end - first == 1) { /* takes its parent's place */
		uts_child(&parent, first, &parent);
		first = 0;
		end = uts_children(tree, &parent);
		uts_add(&sum, uts_count_one(&parent, end));
	}
	if (end == 0)
		return sum;
	bool is_narrow = end - first <= UTS_NARROW;
	unsigned middle = first + (end - first) / 2;
	struct uts_count *to = &counts[forks++];
	tbb::task_group group;
	group.run([=] { *to = range_of(tree, parent, first, middle); });
	for (first = middle; is_narrow && end - first > 1; first++) {
		to = &counts[forks++];
		group.run([=] { *to = range_of(tree, parent, first, first + 1); });
	}
	uts_add(&sum, range_of(tree, parent, first, end));
	group.wait();
	while (forks-- > 0)
		uts_add(&sum, counts[forks]);
	return sum;
}

static void run_uts(void *data)
{
	struct uts *uts = (struct uts *)data;

	inside->execute([uts] {
		struct uts_node root = uts_root(uts->tree);
		unsigned children = uts_children(uts->tree, &root);

		uts->result = uts_count_one(&root, children);
		if (children > 0)
			uts_add(&uts->result, range_of(uts->tree, root, 0, children));
	});
}

static void multiply(float *c, const float *a, const float *b, unsigned n)
{
	unsigned half = n / 2;
	size_t q = (size_t)half * half;

	if (n == QUADS_TILE) {
		quads_tile(c, a, b);
		return;
	}
	for (unsigned k = 0; k < 2; k++) { /* the second adds to the first */
		const float *a1 = a + k * q, *a2 = a1 + 2 * q, *b1 = b + 2 * k * q, *b2 = b1 + q;
		tbb::task_group group;

		group.run([=] { multiply(c + 3 * q, a2, b2, half); });
		group.run([=] { multiply(c + 2 * q, a2, b1, half); });
		group.run([=] { multiply(c + q, a1, b2, half); });
		multiply(c, a1, b1, half);
		group.wait();
	}
}

static void run_matmul(void *data)
{
	struct quads *quads = (struct quads *)data;

	inside->execute([quads] { multiply(quads->c, quads->a, quads->b, quads->n); });
}

static void by_seven(float *c, const float *a, const float *b, float *work, unsigned n)
{
	if (n <= STRASSEN_LEAF) {
		strassen_leaf(c, a, b, n);
		return;
	}
	struct strassen_quarters at = strassen_lay_out(c, a, b, work, n);
	tbb::task_group group;
	for (int m = 0; m < STRASSEN_PRODUCTS; m++) {
		struct strassen_factors f = strassen_make_factors(&at, m);
		float *to = at.m[m], *room = at.rooms + (size_t)m * at.room;
		group.run([=] { by_seven(to, f.left, f.right, room, n / 2); });
	}
	group.wait();
	strassen_put_together(&at);
}

static void run_strassen(void *data)
{
	struct quads *quads = (struct quads *)data;

	inside->execute([quads] { by_seven(quads->c, quads->a, quads->b, quads->work, quads->n); });
}

static void merge(const int32_t *a, size_t a_count, const int32_t *b, size_t b_count, int32_t *to)
{
	if (a_count < b_count) {
		merge(b, b_count, a, a_count, to);
		return;
	}
	if (a_count + b_count <= CILKSORT_MERGE_LEAF) {
		cilksort_merge_leaf(a, a_count, b, b_count, to);
		return;
	}
	size_t x = a_count / 2, y = cilksort_below(b, b_count, a[x]);
	both([=] { merge(a + x, a_count - x, b + y, b_count - y, to + x + y); },
	     [=] { merge(a, x, b, y, to); });
}

static void sort(int32_t *numbers, int32_t *other, size_t count)
{
	size_t q = count / 4, last = count - 3 * q;

	if (count <= CILKSORT_SORT_LEAF) {
		cilksort_leaf(numbers, count);
		return;
	}
	tbb::task_group group;
	group.run([=] { sort(numbers + 3 * q, other + 3 * q, last); });
	group.run([=] { sort(numbers + 2 * q, other + 2 * q, q); });
	group.run([=] { sort(numbers + q, other + q, q); });
	sort(numbers, other, q);
	group.wait();
	both([=] { merge(numbers + 2 * q, q, numbers + 3 * q, last, other + 2 * q); },
	     [=] { merge(numbers, q, numbers + q, q, other); });
	merge(other, 2 * q, other + 2 * q, q + last, numbers);
}

static void run_cilksort(void *data)
{
	struct cilksort *own = (struct cilksort *)data;

	inside->execute([own] { sort(own->numbers, own->other, own->count); });
}

static void run_tick(void *data)
{
	tick_run((struct tick *)data,
		 [](struct tick *tick, void *) {
			 inside->execute([tick] {
				 tbb::task_group group;

				 for (unsigned i = 0; i < TICK_JOBS; i++)
					 group.run([tick, i] { tick_job(tick, i); });
				 group.wait();
			 });
		 },
		 NULL);
}

static void run_latency(void *data)
{
	latency_run((struct latency *)data, [](struct latency_stamp *stamp) {
		tbb::task_group group;

		outside->enqueue(group.defer([stamp] { latency_stamp(stamp); }));
		group.wait();
	});
}

static void idle_range(struct idle *idle, unsigned first, unsigned end)
{
	unsigned middle = first + (end - first) / 2;

	if (end - first == 1) {
		idle_job(idle, first);
		return;
	}
	both([=] { idle_range(idle, middle, end); }, [=] { idle_range(idle, first, middle); });
}

static void run_idle(void *data)
{
	idle_run((struct idle *)data,
		 [](struct idle *idle, void *) {
			 inside->execute([idle] { idle_range(idle, 0, IDLE_JOBS); });
		 },
		 NULL);
}

#define GROUP "task_group::run and wait in task_arena::execute"

static const struct peer_kernel kernels[] = {
	{ &work_fib, GROUP, run_fib, NULL },
	{ &work_treesum, GROUP, run_treesum, NULL },
	{ &work_skynet, GROUP, run_skynet, NULL },
	{ &work_nqueens, GROUP, run_nqueens, NULL },
	{ &work_uts, GROUP, run_uts, NULL },
	{ &work_matmul, GROUP, run_matmul, NULL },
	{ &work_strassen, GROUP, run_strassen, NULL },
	{ &work_cilksort, GROUP, run_cilksort, NULL },
	{ &work_tick, GROUP, run_tick, NULL },
	{ &work_latency, "task_arena::enqueue of task_group::defer", run_latency, NULL },
	{ &work_idle, GROUP, run_idle, NULL },
	{ NULL, NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	struct peer_options options = peer_parse(argc, argv);
	/* main() counts among the threads that are allowed. */
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
				  (size_t)options.workers + 1);
	tbb::task_arena with_main((int)options.workers, 1), without_main((int)options.workers, 0);
	char version[32];
	struct peer peer = { "oneTBB", version, kernels, NULL };

	inside = &with_main;
	outside = &without_main;
	snprintf(version, sizeof(version), "%d.%d.%d", TBB_VERSION_MAJOR, TBB_VERSION_MINOR,
		 TBB_VERSION_PATCH);
	return peer_run(&peer, &options);
}
