/* SPDX-License-Identifier: MIT */
/* test_sim.h — what tests of the simulator share: one run in a line, means of many */
#ifndef SKUA_TESTS_TEST_SIM_H
#define SKUA_TESTS_TEST_SIM_H

#include "check.h"

#include "sim/sim.h"
#include "sim/sim_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(name) 0
#endif
/* Everything takes some ten times as long there: fewer runs, smaller sizes. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SIM_SLOW 1
#else
#define SIM_SLOW 0
#endif

/* Is this one of the long runs (SKUA_TEST_SCALE > 1)? */
#define SIM_LONG (test_rounds(1) > 1)

__attribute__((unused)) static struct sim_config sim_plain(void)
{
	struct sim_config config;

	sim_defaults(&config);
	config.memory = sim_host_memory;
	return config;
}

/* A run that must succeed. */
__attribute__((unused)) static struct sim_result sim_ran(const struct sim_config *config)
{
	struct sim_result result;
	struct sim_error error;

	if (sim_run(config, &result, &error))
		fail_msg("%u workers: %s", config->workers, error.text);
	return result;
}

/* All that two runs gave; not by memcmp, because of the padding. */
__attribute__((unused)) static void sim_expect_same(struct sim_result a, struct sim_result b)
{
	assert_int_equal(a.hash, b.hash);
	assert_int_equal(a.makespan, b.makespan);
	assert_int_equal(a.work, b.work);
	assert_int_equal(a.tries, b.tries);
	assert_int_equal(a.steals, b.steals);
	assert_int_equal(a.messages, b.messages);
	assert_int_equal(a.events, b.events);
	assert_int_equal(a.peak_bytes, b.peak_bytes);
	assert_int_equal(a.sojourn, b.sojourn);
	assert_memory_equal(&a.spent, &b.spent, sizeof(a.spent));
}

struct sim_sample {
	double mean, sd, most;
	double tries; /* on average, of a worker */
	unsigned runs;
};

/* Makespan over the ideal, in so many runs from seed 1 on. */
__attribute__((unused)) static struct sim_sample sim_overhead(struct sim_config config,
							      unsigned runs, double ideal)
{
	struct sim_sample sample = { .runs = runs };
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < runs; i++) {
		config.seed = i + 1;
		struct sim_result result = sim_ran(&config);
		double over = (double)result.makespan - ideal;
		sum += over;
		squares += over * over;
		sample.most = fmax(sample.most, over);
		sample.tries += (double)result.tries / config.workers / runs;
	}
	sample.mean = sum / runs;
	sample.sd = runs > 1 ? sqrt(fmax(0, squares - sum * sample.mean) / (runs - 1)) : 0;
	return sample;
}

/* Within this part of what was published, or within three standard errors of both means. */
__attribute__((unused)) static void sim_expect(const char *what, struct sim_sample got, double mean,
					       double sd, double part)
{
	double errors = sd > 0 ? 3 * sqrt(got.sd * got.sd / got.runs + sd * sd / 200) : 0;
	double room = SIM_SLOW && got.runs < 30 ? fmax(part * mean, errors) : part * mean;

	if (getenv("SIM_SHOW"))
		print_message("%s: %.1f (%.1f), expected %.1f, %+.1f %%\n", what, got.mean, got.sd,
			      mean, 100 * (got.mean / mean - 1));
	if (fabs(got.mean - mean) > room)
		fail_msg("%s: mean of %u runs is %.1f (sd %.1f), not %.1f +- %.1f", what, got.runs,
			 got.mean, got.sd, mean, room);
}

#endif
