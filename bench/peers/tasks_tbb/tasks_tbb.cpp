/* SPDX-License-Identifier: MIT */
/* tasks_tbb.cpp — oneTBB: task_group inside an arena and fed from outside, and a flow graph */
#include "../tasks_peer.h"

#include <deque>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/version.h>

/*
 * Two arenas of as many threads: the thread of main() takes one of the places of `inside`;
 * `outside` keeps no place for it, so that all of its threads are oneTBB's own.
 */
static tbb::task_arena *inside, *outside;

static double spawn_inside(long n)
{
	return inside->execute([n] {
		tbb::task_group group;
		double start = peer_clock_ns();

		for (long i = 0; i < n; i++)
			group.run([] { peer_ran(); });
		group.wait();
		double ns = peer_clock_ns() - start;
		return peer_ran_count() == n ? ns : -1;
	});
}

static double spawn_outside(long n)
{
	tbb::task_group group;
	double start = peer_clock_ns();

	for (long i = 0; i < n; i++)
		outside->enqueue(group.defer([] { peer_ran(); }));
	group.wait();
	double ns = peer_clock_ns() - start;
	return peer_ran_count() == n ? ns : -1;
}

static double round_trip_inside(long n)
{
	return inside->execute([n] {
		tbb::task_group group;
		long sum = 0;
		double start = peer_clock_ns();

		for (long i = 1; i <= n; i++) {
			long result = 0;
			group.run([&result, i] { result = i; });
			group.wait();
			sum += result;
		}
		double ns = peer_clock_ns() - start;
		return sum == n * (n + 1) / 2 ? ns : -1;
	});
}

static double round_trip_outside(long n)
{
	tbb::task_group group;
	long sum = 0;
	double start = peer_clock_ns();

	for (long i = 1; i <= n; i++) {
		long result = 0;
		outside->enqueue(group.defer([&result, i] { result = i; }));
		group.wait();
		sum += result;
	}
	double ns = peer_clock_ns() - start;
	return sum == n * (n + 1) / 2 ? ns : -1;
}

/*
 * Layers of WIDTH nodes.  Node j of layer l > 0 waits for two nodes of the layer before: j and
 * (j + 1 + l % (WIDTH - 1)) % WIDTH.
 */
#define WIDTH 1000L

typedef tbb::flow::continue_node<tbb::flow::continue_msg> node_type;

struct layers {
	tbb::flow::graph graph;
	std::deque<node_type> nodes;

	explicit layers(long n)
	{
		for (long i = 0; i < n; i++) {
			nodes.emplace_back(graph,
					   [](const tbb::flow::continue_msg &) { peer_ran(); });
			if (i < WIDTH)
				continue;
			long layer = i / WIDTH, before = (layer - 1) * WIDTH, j = i % WIDTH;
			tbb::flow::make_edge(nodes[before + j], nodes[i]);
			tbb::flow::make_edge(nodes[before + (j + 1 + layer % (WIDTH - 1)) % WIDTH],
					     nodes[i]);
		}
	}

	double run()
	{
		double start = peer_clock_ns();

		for (long i = 0; i < WIDTH && i < (long)nodes.size(); i++)
			nodes[i].try_put(tbb::flow::continue_msg());
		graph.wait_for_all();
		return peer_clock_ns() - start;
	}
};

static layers *standing;

static double graph_build(long n)
{
	return inside->execute([n] {
		delete standing;
		double start = peer_clock_ns();
		standing = new layers(n);
		return peer_clock_ns() - start;
	});
}

/* Of the graph that was built last, for the second time: the first also meets cold memory. */
static double graph_run(long n)
{
	return inside->execute([n] {
		standing->run();
		bool is_right = peer_ran_count() == n;
		double ns = standing->run();
		return is_right && peer_ran_count() == n ? ns : -1;
	});
}

int main(int argc, char **argv)
{
	static const struct peer_case cases[] = {
		{ "spawn_inside", "task_group::run and wait in task_arena::execute", spawn_inside,
		  1 },
		{ "spawn_outside", "task_arena::enqueue of task_group::defer, then wait",
		  spawn_outside, 1 },
		{ "round_trip_inside", "task_group::run and wait in task_arena::execute",
		  round_trip_inside, 10 },
		{ "round_trip_outside", "task_arena::enqueue of task_group::defer and wait",
		  round_trip_outside, 10 },
		{ "graph_build", "flow::continue_node and two make_edge", graph_build, 1 },
		{ "graph_run", "try_put to the first layer, graph::wait_for_all, second run",
		  graph_run, 1 },
	};
	struct peer_options options = peer_parse(argc, argv);
	/* main() counts among the threads that are allowed. */
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
				  (size_t)options.workers + 1);
	tbb::task_arena with_main((int)options.workers, 1), without_main((int)options.workers, 0);
	char version[32];

	inside = &with_main;
	outside = &without_main;
	snprintf(version, sizeof(version), "%d.%d.%d", TBB_VERSION_MAJOR, TBB_VERSION_MINOR,
		 TBB_VERSION_PATCH);
	int status = peer_run("oneTBB", version, &options, cases, sizeof(cases) / sizeof(cases[0]));
	inside->execute([] { delete standing; });
	return status;
}
