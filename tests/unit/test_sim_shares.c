/* SPDX-License-Identifier: MIT */
/* test_sim_shares.c — divisible work: what latency costs, in one cluster and in two */
#include "unit/test_sim.h"

static struct sim_config shares_of(uint32_t workers, uint64_t latency, uint64_t work)
{
	struct sim_config config = sim_plain();

	config.model = SIM_SHARES;
	config.workers = workers;
	config.work = work;
	config.topology.latency[0] = latency;
	return config;
}

/* (makespan - W/p) / (L log2(W/L)) of a configuration. */
static double coefficient(const struct sim_config *config, struct sim_sample sample)
{
	double latency = (double)config->topology.latency[0];

	return sample.mean / (latency * log2((double)config->work / latency));
}

static void test_shares_latency_coefficient(void **state)
{
	static const struct {
		uint32_t workers;
		double least, most;
	} ranges[] = { { 32, 2.8, 3.1 }, { 64, 3.2, 3.4 }, { 128, 3.4, 3.8 }, { 256, 3.6, 4.0 } };
	static const uint64_t latencies[] = { 2, 50, 250 };
	unsigned runs = SIM_SLOW ? 20 : 40;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (unsigned k = 0; k < 3; k++) {
			struct sim_config config = shares_of(ranges[i].workers, latencies[k],
							     100000000);
			double ideal = (double)config.work / config.workers;
			struct sim_sample got = sim_overhead(config, runs, ideal);
			double c = coefficient(&config, got), room = SIM_SLOW ? 0.12 : 0.05;
			if (getenv("SIM_SHOW"))
				print_message("p = %u, L = %u: c = %.2f, %.1f tries a worker\n",
					      config.workers, (unsigned)latencies[k], c, got.tries);
			if (c < ranges[i].least * (1 - room) || c > ranges[i].most * (1 + room))
				fail_msg("p = %u, L = %u: c is %.2f, not %.1f to %.1f",
					 config.workers, (unsigned)latencies[k], c, ranges[i].least,
					 ranges[i].most);
			/* the proven bounds */
			double log_wl = log2((double)config.work / (double)latencies[k]);
			assert_true(got.most < 16.12 * (double)latencies[k] * (log_wl - 1) +
						       3 * (double)latencies[k]);
			assert_true(got.tries < 2 * 4.03 * log_wl);
		}
	}
}

static void test_shares_points(void **state)
{
	struct sim_config config = shares_of(256, 50, 100000000);
	struct sim_sample got = sim_overhead(config, SIM_SLOW ? 20 : 100, 1e8 / 256);

	(void)state;
	sim_expect("p = 256, L = 50", got, 3974, 256, 0.05);
	assert_true(fabs(got.tries - 40) < 2);
	config = shares_of(32, 250, 100000000);
	got = sim_overhead(config, SIM_SLOW ? 20 : 200, 1e8 / 32);
	sim_expect("p = 32, L = 250", got, 13170, 1699, 0.05);
}

/*
 * Two clusters, one transfer at a time from each victim: means of the published data, whose remote
 * victims are drawn with a slip; and of an independent program with every victim equally likely.
 */
static const struct {
	uint32_t workers;
	uint64_t latency;
	uint32_t remote; /* millionths */
	double published, sd;
	double uniform, uniform_sd;
} clusters[] = {
	{ 32, 64, 100000, 860, 150, 833, 121 },		{ 32, 256, 50000, 2670, 460, 2512, 439 },
	{ 32, 256, 500000, 8100, 1427, 7357, 1006 },	{ 32, 1024, 20000, 8950, 1783, 7990, 1301 },
	{ 32, 1024, 500000, 28720, 5259, 26421, 3647 }, { 64, 64, 100000, 854, 122, 851, 119 },
	{ 16, 256, 50000, 2922, 709, 2400, 444 },
};

static struct sim_config clusters_of(uint32_t workers, uint64_t latency, uint32_t remote)
{
	struct sim_config config = shares_of(workers, 1, 100000000);

	config.topology.levels = 2;
	config.topology.group[0] = workers / 2;
	config.topology.latency[1] = latency;
	config.victim = SIM_VICTIM_REMOTE;
	config.remote = remote;
	config.is_single = true;
	return config;
}

static void test_shares_two_clusters(void **state)
{
	char what[96];

	(void)state;
	for (size_t i = 0; i < sizeof(clusters) / sizeof(clusters[0]); i++) {
		struct sim_config config = clusters_of(clusters[i].workers, clusters[i].latency,
						       clusters[i].remote);
		double ideal = (double)config.work / config.workers;
		unsigned runs = SIM_SLOW ? 20 : 300;
		for (unsigned is_published = 0; is_published < 2; is_published++) {
			config.is_published = is_published;
			snprintf(what, sizeof(what), "p = %u, L = %u, r = %.2f, %s", config.workers,
				 (unsigned)clusters[i].latency, clusters[i].remote / 1e6,
				 is_published ? "published" : "uniform");
			struct sim_sample got = sim_overhead(config, runs, ideal);
			sim_expect(what, got,
				   is_published ? clusters[i].published : clusters[i].uniform,
				   is_published ? clusters[i].sd : clusters[i].uniform_sd, 0.03);
		}
	}
}

/* The best probability of a remote try falls as the way gets longer; half is dear. */
static void test_shares_best_remote(void **state)
{
	static const uint32_t tried[] = { 1000, 10000, 20000, 50000, 100000, 200000, 500000 };
	static const struct {
		uint64_t latency;
		uint32_t least, most;
	} best[] = { { 64, 50000, 200000 }, { 256, 20000, 100000 }, { 1024, 10000, 50000 } };
	unsigned runs = SIM_SLOW ? 20 : 40;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		double least = 0, half = 0, seldom = 0;
		uint32_t at = 0;
		for (size_t k = 0; k < 7; k++) {
			struct sim_config config = clusters_of(32, best[i].latency, tried[k]);
			double mean = sim_overhead(config, runs, 1e8 / 32).mean;
			if (!at || mean < least) {
				least = mean;
				at = tried[k];
			}
			half = mean; /* the last */
			seldom = k ? seldom : mean;
		}
		if (getenv("SIM_SHOW"))
			print_message("L = %u: best %u, half %.2fx, 0.001 %.2fx\n",
				      (unsigned)best[i].latency, at, half / least, seldom / least);
		assert_true(at >= best[i].least && at <= best[i].most);
		assert_true(half > 2 * least);
		assert_true(best[i].latency != 64 || seldom > 5 * least);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_latency_coefficient),
		cmocka_unit_test(test_shares_points),
		cmocka_unit_test(test_shares_two_clusters),
		cmocka_unit_test(test_shares_best_remote),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
