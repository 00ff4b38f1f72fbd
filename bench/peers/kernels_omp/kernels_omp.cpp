/* SPDX-License-Identifier: MIT */
/* kernels_omp.cpp — OpenMP tasks, libgomp's by gcc, libomp's by clang */
#include "../kernels_peer.h"

#include <omp.h>

/* Run by one thread of a team; the others take tasks.  Each root is a region of its own. */
template <typename F> static inline void run_root(const F &f)
{
#pragma omp parallel
#pragma omp single nowait
	f();
}

static int64_t fib_of(int n)
{
	int64_t a, b;

	if (n < 2)
		return n;
#pragma omp task shared(a)
	a = fib_of(n - 1);
	b = fib_of(n - 2);
#pragma omp taskwait
	return a + b;
}

static void run_fib(void *data)
{
	struct fib *fib = (struct fib *)data;

	run_root([fib] { fib->result = fib_of(fib->n); });
}

static int64_t sum_of(const struct treesum_node *node)
{
	int64_t left, right;

	if (!node->left)
		return node->value;
#pragma omp task shared(right)
	right = sum_of(node->right);
	left = sum_of(node->left);
#pragma omp taskwait
	return node->value + left + right;
}

static void run_treesum(void *data)
{
	struct treesum *tree = (struct treesum *)data;

	for (uint64_t i = 0; i < tree->times; i++)
		run_root([tree] { tree->result += sum_of(tree->root); });
}

static uint64_t net_of(uint64_t first, uint64_t leaves)
{
	uint64_t sums[SKYNET_WIDE], sum = 0, part = leaves / SKYNET_WIDE;

	if (leaves == 1)
		return first;
	for (unsigned i = 0; i < SKYNET_WIDE; i++)
#pragma omp task shared(sums)
		sums[i] = net_of(first + i * part, part);
#pragma omp taskwait
	for (unsigned i = 0; i < SKYNET_WIDE; i++)
		sum += sums[i];
	return sum;
}

static void run_skynet(void *data)
{
	struct skynet *net = (struct skynet *)data;

	for (uint64_t i = 0; i < net->times; i++)
		run_root([net] { net->result += net_of(0, net->leaves); });
}

static uint64_t queens_of(int n, int row, struct nqueens_board board)
{
	uint64_t sums[NQUEENS_MAX], sum = 0;
	unsigned count = 0;

	if (row == n)
		return 1;
	for (int column = 0; column < n; column++) {
		if (nqueens_is_free(&board, row, column)) {
			board.column[row] = (int8_t)column;
#pragma omp task shared(sums)
			sums[count] = queens_of(n, row + 1, board);
			count++;
		}
	}
#pragma omp taskwait
	while (count-- > 0)
		sum += sums[count];
	return sum;
}

static void run_nqueens(void *data)
{
	struct nqueens *queens = (struct nqueens *)data;

	run_root([queens] { queens->result = queens_of(queens->n, 0, nqueens_board()); });
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
#pragma omp task shared(counts)
	counts[forks] = range_of(tree, parent, first, middle);
	forks++;
	for (first = middle; is_narrow && end - first > 1; first++) {
#pragma omp task shared(counts)
		counts[forks] = range_of(tree, parent, first, first + 1);
		forks++;
	}
	uts_add(&sum, range_of(tree, parent, first, end));
#pragma omp taskwait
	while (forks-- > 0)
		uts_add(&sum, counts[forks]);
	return sum;
}

static void run_uts(void *data)
{
	struct uts *uts = (struct uts *)data;

	run_root([uts] {
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

#pragma omp task
		multiply(c + 3 * q, a2, b2, half);
#pragma omp task
		multiply(c + 2 * q, a2, b1, half);
#pragma omp task
		multiply(c + q, a1, b2, half);
		multiply(c, a1, b1, half);
#pragma omp taskwait
	}
}

static void run_matmul(void *data)
{
	struct quads *quads = (struct quads *)data;

	run_root([quads] { multiply(quads->c, quads->a, quads->b, quads->n); });
}

static void by_seven(float *c, const float *a, const float *b, float *work, unsigned n)
{
	if (n <= STRASSEN_LEAF) {
		strassen_leaf(c, a, b, n);
		return;
	}
	struct strassen_quarters at = strassen_lay_out(c, a, b, work, n);
	for (int m = 0; m < STRASSEN_PRODUCTS; m++) {
		struct strassen_factors f = strassen_make_factors(&at, m);
		float *to = at.m[m], *room = at.rooms + (size_t)m * at.room;
#pragma omp task
		by_seven(to, f.left, f.right, room, n / 2);
	}
#pragma omp taskwait
	strassen_put_together(&at);
}

static void run_strassen(void *data)
{
	struct quads *quads = (struct quads *)data;

	run_root([quads] { by_seven(quads->c, quads->a, quads->b, quads->work, quads->n); });
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
#pragma omp task
	merge(a + x, a_count - x, b + y, b_count - y, to + x + y);
	merge(a, x, b, y, to);
#pragma omp taskwait
}

static void sort(int32_t *numbers, int32_t *other, size_t count)
{
	size_t q = count / 4, last = count - 3 * q;

	if (count <= CILKSORT_SORT_LEAF) {
		cilksort_leaf(numbers, count);
		return;
	}
#pragma omp task
	sort(numbers + 3 * q, other + 3 * q, last);
#pragma omp task
	sort(numbers + 2 * q, other + 2 * q, q);
#pragma omp task
	sort(numbers + q, other + q, q);
	sort(numbers, other, q);
#pragma omp taskwait
#pragma omp task
	merge(numbers + 2 * q, q, numbers + 3 * q, last, other + 2 * q);
	merge(numbers, q, numbers + q, q, other);
#pragma omp taskwait
	merge(other, 2 * q, other + 2 * q, q + last, numbers);
}

static void run_cilksort(void *data)
{
	struct cilksort *own = (struct cilksort *)data;

	run_root([own] { sort(own->numbers, own->other, own->count); });
}

static void burst_of_tick(struct tick *tick, void *)
{
	run_root([tick] {
		for (unsigned i = 0; i < TICK_JOBS; i++)
#pragma omp task
			tick_job(tick, i);
	});
}

static void run_tick(void *data)
{
	tick_run((struct tick *)data, burst_of_tick, NULL);
}

/* Nobody outside a team can hand work to it: told is the first of as many threads beside main(). */
static void submit(struct latency_stamp *stamp)
{
	int started = 0;

#pragma omp parallel num_threads(omp_get_max_threads() + 1)
	if (omp_get_thread_num() != 0) {
		int before;
#pragma omp atomic capture
		before = started++;
		if (before == 0)
			latency_stamp(stamp);
	}
}

static void run_latency(void *data)
{
	latency_run((struct latency *)data, submit);
}

static void idle_range(struct idle *idle, unsigned first, unsigned end)
{
	unsigned middle = first + (end - first) / 2;

	if (end - first == 1) {
		idle_job(idle, first);
		return;
	}
#pragma omp task
	idle_range(idle, middle, end);
	idle_range(idle, first, middle);
#pragma omp taskwait
}

static void burst_of_idle(struct idle *idle, void *)
{
	run_root([idle] { idle_range(idle, 0, IDLE_JOBS); });
}

static void run_idle(void *data)
{
	idle_run((struct idle *)data, burst_of_idle, NULL);
}

#define TASKS "task and taskwait in parallel, single"

static const struct peer_kernel kernels[] = {
	{ &work_fib, TASKS, run_fib, NULL },
	{ &work_treesum, TASKS, run_treesum, NULL },
	{ &work_skynet, TASKS, run_skynet, NULL },
	{ &work_nqueens, TASKS, run_nqueens, NULL },
	{ &work_uts, TASKS, run_uts, NULL },
	{ &work_matmul, TASKS, run_matmul, NULL },
	{ &work_strassen, TASKS, run_strassen, NULL },
	{ &work_cilksort, TASKS, run_cilksort, NULL },
	{ &work_tick, "task in parallel, single", run_tick, NULL },
	{ &work_latency, "parallel, to its first other thread", run_latency, NULL },
	{ &work_idle, TASKS, run_idle, NULL },
	{ NULL, NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
	struct peer_options options = peer_parse(argc, argv);
	char version[32];
#ifdef __clang__
	struct peer peer = { "libomp", version, kernels, NULL };
	snprintf(version, sizeof(version), "%d.%d", __clang_major__, __clang_minor__);
#else
	struct peer peer = { "libgomp", version, kernels, NULL };
	snprintf(version, sizeof(version), "%d.%d", __GNUC__, __GNUC_MINOR__);
#endif
	omp_set_num_threads((int)options.workers);
	return peer_run(&peer, &options);
}
