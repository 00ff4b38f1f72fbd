/* SPDX-License-Identifier: MIT */
/* kernels_starpu.c — StarPU: those kernels of skua bench that suit tasks of microseconds */
#include "../kernels_peer.h"

#include <starpu.h>
#include <unistd.h>

/*
 * A task of StarPU may not wait for another, and costs about a microsecond: recursion without a
 * cut-off is not for it.  main() hands in all tasks and waits; it is none of the workers.
 */

/* The task frees itself. */
static void submit(struct starpu_codelet *codelet, void *argument)
{
	struct starpu_task *task = starpu_task_create();

	task->cl = codelet;
	task->cl_arg = argument;
	if (starpu_task_submit(task)) {
		fprintf(stderr, "StarPU: starpu_task_submit failed\n");
		exit(PEER_WRONG);
	}
}

/* --- skynet: each node hands in its ten, the last of them to end tells the node above --- */

struct node {
	struct node *above, *below;
	uint64_t first, leaves;
	uint64_t sum;  /* of those below that are done; atomic by StarPU's own macros */
	unsigned left; /* of those below; likewise */
};

static void run_node(void *buffers[], void *argument);

static struct starpu_codelet node_codelet = { .cpu_funcs = { run_node }, .name = "skynet" };

static void node_is_done(struct node *node, uint64_t sum)
{
	while (node->above) {
		node = node->above;
		(void)STARPU_ATOMIC_ADD64(&node->sum, sum);
		if (STARPU_ATOMIC_ADD(&node->left, -1) > 0)
			return;
		free(node->below);
		sum = node->sum;
	}
}

static void run_node(void *buffers[], void *argument)
{
	struct node *node = argument;
	uint64_t part = node->leaves / SKYNET_WIDE;

	(void)buffers;
	if (node->leaves == 1) {
		node_is_done(node, node->first);
		return;
	}
	struct node *below = calloc(SKYNET_WIDE, sizeof(*below));
	if (!below)
		abort();
	node->below = below;
	node->left = SKYNET_WIDE;
	for (unsigned i = 0; i < SKYNET_WIDE; i++) {
		below[i].above = node;
		below[i].first = node->first + i * part;
		below[i].leaves = part;
		submit(&node_codelet, &below[i]); /* may end, and the last free all, before we do */
	}
}

static void run_skynet(void *data)
{
	struct skynet *net = data;

	for (uint64_t i = 0; i < net->times; i++) {
		struct node root = { .leaves = net->leaves };
		submit(&node_codelet, &root);
		starpu_task_wait_for_all();
		net->result += root.sum;
	}
}

/* --- matmul: a task for each product of tiles, its order by what it reads and writes --- */

static starpu_data_handle_t *tiles; /* of a, then b, then c; row by row */
static unsigned tile_count;

static void run_tile(void *buffers[], void *argument)
{
	(void)argument;
	quads_tile((float *)STARPU_VECTOR_GET_PTR(buffers[0]),
		   (const float *)STARPU_VECTOR_GET_PTR(buffers[1]),
		   (const float *)STARPU_VECTOR_GET_PTR(buffers[2]));
}

static struct starpu_codelet tile_codelet = { .cpu_funcs = { run_tile },
					      .nbuffers = 3,
					      .modes = { STARPU_RW, STARPU_R, STARPU_R },
					      .name = "tile" };

/* Once, by the run that is not timed. */
static void register_tiles(const struct quads *quads)
{
	float *const matrices[] = { quads->a, quads->b, quads->c };
	unsigned wide = quads->n / QUADS_TILE;

	tiles = calloc(3 * (size_t)wide * wide, sizeof(*tiles));
	if (!tiles)
		abort();
	for (unsigned m = 0; m < 3; m++)
		for (unsigned i = 0; i < wide * wide; i++) {
			size_t at = quads_place(quads->n, i / wide * QUADS_TILE,
						i % wide * QUADS_TILE);
			starpu_vector_data_register(&tiles[tile_count++], STARPU_MAIN_RAM,
						    (uintptr_t)(matrices[m] + at),
						    QUADS_TILE * QUADS_TILE, sizeof(float));
		}
}

static void unregister_tiles(void)
{
	while (tile_count > 0)
		starpu_data_unregister(tiles[--tile_count]);
	free(tiles);
}

static void run_matmul(void *data)
{
	struct quads *quads = data;
	unsigned wide = quads->n / QUADS_TILE;

	if (!tiles)
		register_tiles(quads);
	const starpu_data_handle_t *a = tiles, *b = a + wide * wide, *c = b + wide * wide;
	for (unsigned i = 0; i < wide; i++)
		for (unsigned j = 0; j < wide; j++)
			for (unsigned k = 0; k < wide; k++) {
				struct starpu_task *task = starpu_task_create();
				task->cl = &tile_codelet;
				task->handles[0] = c[i * wide + j];
				task->handles[1] = a[i * wide + k];
				task->handles[2] = b[k * wide + j];
				if (starpu_task_submit(task))
					abort();
			}
	starpu_task_wait_for_all();
}

/* --- tick, latency, idle --- */

/* One of many; they live as long as the burst. */
struct part {
	void *of;
	unsigned index;
};

static void run_tick_job(void *buffers[], void *argument)
{
	struct part *part = argument;

	(void)buffers;
	tick_job(part->of, part->index);
}

static void run_idle_job(void *buffers[], void *argument)
{
	struct part *part = argument;

	(void)buffers;
	idle_job(part->of, part->index);
}

static void run_stamp(void *buffers[], void *argument)
{
	(void)buffers;
	latency_stamp(argument);
}

static struct starpu_codelet tick_codelet = { .cpu_funcs = { run_tick_job }, .name = "tick" };
static struct starpu_codelet idle_codelet = { .cpu_funcs = { run_idle_job }, .name = "idle" };
static struct starpu_codelet stamp_codelet = { .cpu_funcs = { run_stamp }, .name = "stamp" };

static void submit_parts(struct starpu_codelet *codelet, void *of, unsigned count)
{
	static struct part parts[IDLE_JOBS > TICK_JOBS ? IDLE_JOBS : TICK_JOBS];

	for (unsigned i = 0; i < count; i++) {
		parts[i] = (struct part){ of, i };
		submit(codelet, &parts[i]);
	}
	starpu_task_wait_for_all();
}

static void burst_of_tick(struct tick *tick, void *nothing)
{
	(void)nothing;
	submit_parts(&tick_codelet, tick, TICK_JOBS);
}

static void burst_of_idle(struct idle *idle, void *nothing)
{
	(void)nothing;
	submit_parts(&idle_codelet, idle, IDLE_JOBS);
}

static void submit_stamp(struct latency_stamp *stamp)
{
	submit(&stamp_codelet, stamp);
	starpu_task_wait_for_all();
}

static void run_tick(void *data)
{
	tick_run(data, burst_of_tick, NULL);
}

static void run_latency(void *data)
{
	latency_run(data, submit_stamp);
}

static void run_idle(void *data)
{
	idle_run(data, burst_of_idle, NULL);
}

#define SUBMIT "starpu_task_submit and starpu_task_wait_for_all"

static const struct peer_kernel kernels[] = {
	{ &work_skynet, SUBMIT, run_skynet, "1k" }, /* a million, 60 times, takes minutes */
	{ &work_matmul, SUBMIT ", a task for each product of tiles", run_matmul, NULL },
	{ &work_tick, SUBMIT, run_tick, NULL },
	{ &work_latency, SUBMIT, run_latency, NULL },
	{ &work_idle, SUBMIT, run_idle, NULL },
	{ NULL, NULL, NULL, NULL },
};

/* What it finds out about the machine goes to a folder beside the program, not to the user's. */
static void set_home(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = 0;
	char *slash = strrchr(path, '/');
	if (slash) {
		*slash = 0;
		setenv("STARPU_HOME", path, 0);
	}
}

/* So many CPU workers and nothing else; it knows no more than there are CPUs. */
static void start(long workers)
{
	struct starpu_conf conf;

	set_home();
	setenv("STARPU_SILENT", "1", 0);
	starpu_conf_init(&conf);
	conf.ncpus = (int)workers;
	conf.ncuda = conf.nopencl = conf.nmic = conf.nmpi_ms = 0;
	if (starpu_init(&conf)) {
		fprintf(stderr, "StarPU: it does not start with %ld workers\n", workers);
		exit(PEER_NOT_OFFERED);
	}
	if (starpu_cpu_worker_get_count() != (unsigned)workers) {
		fprintf(stderr, "StarPU: it starts %u workers here, not %ld\n",
			starpu_cpu_worker_get_count(), workers);
		starpu_shutdown();
		exit(PEER_NOT_OFFERED);
	}
}

int main(int argc, char **argv)
{
	struct peer_options options = peer_parse(argc, argv);
	const struct work_problem *problem = NULL;
	int major, minor, release;
	char version[48];
	struct peer peer = { "StarPU", version, kernels, unregister_tiles };

	starpu_get_version(&major, &minor, &release);
	snprintf(version, sizeof(version), "%d.%d.%d", major, minor, release);
	peer_find(&peer, &options, &problem); /* before threads are started for nothing */
	start(options.workers);
	int status = peer_run(&peer, &options);
	starpu_shutdown();
	return status;
}
