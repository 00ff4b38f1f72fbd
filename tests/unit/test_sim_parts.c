/* SPDX-License-Identifier: MIT */
/* test_sim_parts.c — parts of the simulator: events in order, draws, products, victims */
#include "unit/test_sim.h"

#include "sim/sim_draw.h"
#include "sim/sim_events.h"
#include "sim/sim_victim.h"
#include "topo/nearness.h"

/* --- events --- */

/* Each event carries the number it was put with: same time, same lane or heap, rising numbers. */
static void test_parts_events_in_order(void **state)
{
	struct sim_heap heap = { .memory = sim_host_memory };
	struct sim_queue queue;
	struct sim_event event, last = { 0, 0, 0 };
	uint64_t put = 0, sum_put = 0, sum_taken = 0;

	(void)state;
	sim_queue_open(&queue, &heap);
	sim_queue_lane(&queue, 5);
	sim_queue_lane(&queue, 100);
	sim_queue_lane(&queue, 5);
	assert_int_equal(queue.lanes, 2);
	for (unsigned round = 0; round < 60000; round++) {
		unsigned puts = round < 30000 ? (unsigned)(test_random() % 4) : 0;
		for (; puts; puts--) {
			static const uint64_t delays[] = { 5, 100, 0, 1, 70, 4096, 1 << 20 };
			uint64_t delay = delays[test_random() % 7];
			if (delay > 5 && delay != 100)
				delay += test_random() % delay;
			sim_queue_put(&queue, delay, (uint32_t)delay, sim_what(1, (uint32_t)++put));
			sum_put += queue.now + delay;
		}
		if (!sim_queue_take(&queue, &event))
			continue;
		assert_true(event.time >= last.time);
		if (event.time == last.time && event.who == last.who)
			assert_true(sim_argument(&event) > sim_argument(&last));
		assert_int_equal(event.time, queue.now);
		sum_taken += event.time;
		last = event;
	}
	while (sim_queue_take(&queue, &event))
		sum_taken += event.time;
	assert_int_equal(queue.taken, put);
	assert_int_equal(sum_taken, sum_put);
	sim_queue_close(&queue);
	assert_int_equal(heap.bytes, 0);
}

/* Events of one time from the heap come first put, first taken, whenever they were put. */
static void test_parts_heap_is_stable(void **state)
{
	struct sim_heap heap = { .memory = sim_host_memory };
	struct sim_queue queue;
	struct sim_event event;

	(void)state;
	sim_queue_open(&queue, &heap);
	for (uint32_t i = 0; i < 1000; i++) { /* all of them for the time 5000 */
		sim_queue_put(&queue, 5000 - queue.now, 7, sim_what(0, i));
		sim_queue_put(&queue, 1 + i % 7, 1, 0);
		assert_true(sim_queue_take(&queue, &event));
		assert_int_equal(event.who, 1);
	}
	for (uint32_t i = 0; i < 1000; i++) {
		assert_true(sim_queue_take(&queue, &event));
		assert_int_equal(event.time, 5000);
		assert_int_equal(sim_argument(&event), i);
	}
	sim_queue_put(&queue, UINT64_MAX, 0, 0);
	assert_true(queue.is_late && !sim_queue_take(&queue, &event));
	sim_queue_close(&queue);
}

/* --- numbers --- */

static void test_parts_draws(void **state)
{
	struct sim_logs logs;
	double sum = 0, squares = 0, largest = 0;
	unsigned counts[10] = { 0 };
	const unsigned n = 400000;

	(void)state;
	sim_logs_make(&logs);
	for (unsigned i = 0; i < n; i++) {
		uint64_t draw = sim_draw(42, i % 1000, i / 1000);
		double x = (double)sim_exponential(&logs, draw) / 4294967296.0;
		double exact = -log(((double)(draw >> 11) + 0.5) / 9007199254740992.0);
		assert_true(fabs(x - exact) < 1e-5 * fmax(1, exact));
		sum += x;
		squares += x * x;
		largest = fmax(largest, x);
		counts[sim_below(draw, 10)]++;
		assert_true(sim_other(draw, 10, 3) < 10 && sim_other(draw, 10, 3) != 3);
	}
	assert_true(fabs(sum / n - 1) < 0.006);
	assert_true(fabs(squares / n - 2) < 0.05);
	assert_true(largest > 9 && largest < 45);
	for (unsigned i = 0; i < 10; i++)
		assert_in_range(counts[i], n / 10 - 900, n / 10 + 900);
	assert_true(sim_draw(1, 2, 3) != sim_draw(1, 3, 2));
	assert_true(sim_draw(1, 2, 3) != sim_draw(2, 1, 3));
	assert_true(sim_exponential(&logs, 0) < (uint64_t)45 << 32);
	assert_int_equal(sim_exponential(&logs, UINT64_MAX) >> 20, 0);
}

static void test_parts_products(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t a = test_random() >> test_random() % 64, b = test_random();
		uint64_t c = (test_random() >> test_random() % 64) | 1;
		__extension__ unsigned __int128 wide = (unsigned __int128)a * b;
		unsigned shift = (unsigned)(test_random() % 128);
		uint64_t expected = wide / c > UINT64_MAX ? UINT64_MAX : (uint64_t)(wide / c);
		assert_int_equal(sim_mul_shift(a, b, shift), (uint64_t)(wide >> shift));
		assert_int_equal(sim_mul_div(a, b, c), expected);
	}
	assert_int_equal(sim_mul_div(3, 5, 0), UINT64_MAX);
}

/* --- victims --- */

static struct sim_victims victims;
static struct sim_heap victims_heap;

static struct sim_config open_victims(enum sim_victim law, uint32_t workers)
{
	static struct sim_config config; /* the victims point to it */
	struct sim_error error;

	config = sim_plain();
	config.workers = workers;
	config.victim = law;
	config.topology = (struct sim_topology){ 4, { 2, 8, 24, 0 }, { 0, 0, 9, 99 } };
	victims_heap = (struct sim_heap){ .memory = sim_host_memory };
	assert_int_equal(sim_victims_open(&victims, &config, &victims_heap, &error), 0);
	return config;
}

/* In a round of its own each thief visits everybody else once, whatever the order. */
static void test_parts_rounds_are_whole(void **state)
{
	static const enum sim_victim laws[] = { SIM_VICTIM_ROUND, SIM_VICTIM_TURNS,
						SIM_VICTIM_NEAREST };

	(void)state;
	for (unsigned k = 0; k < 3; k++) {
		for (uint32_t workers = 2; workers <= 67; workers += 5) {
			struct sim_config config = open_victims(laws[k], workers);
			for (uint32_t thief = 0; thief < workers; thief++) {
				unsigned seen[67] = { 0 }, level = 0;
				for (uint32_t i = 1; i < workers; i++) {
					uint32_t victim = sim_victim_next(&victims, thief);
					unsigned now = sim_level(&config.topology, thief, victim);
					assert_true(victim < workers && victim != thief);
					assert_int_equal(seen[victim]++, 0);
					assert_true(k != 2 || now >= level);
					level = now;
				}
			}
			sim_victims_close(&victims, &victims_heap);
		}
	}
}

/* All laws draw others only, and anybody can be drawn. */
static void test_parts_everybody_is_a_victim(void **state)
{
	(void)state;
	for (unsigned law = 0; law < SIM_VICTIM_COUNT; law++) {
		open_victims((enum sim_victim)law, 30);
		unsigned seen[30] = { 0 };
		for (unsigned i = 0; i < 20000; i++) {
			uint32_t victim = sim_victim_next(&victims, 13);
			assert_true(victim < 30 && victim != 13);
			seen[victim]++;
		}
		for (uint32_t i = 0; i < 30 && law != SIM_VICTIM_REMOTE; i++)
			assert_true(i == 13 || seen[i] > 2);
		if (law == SIM_VICTIM_LATENCY) /* what is far is drawn seldom */
			assert_true(seen[12] + seen[14] > 100 * (seen[29] + 1));
		sim_victims_close(&victims, &victims_heap);
	}
}

/* Nearest first is the very order that our pool has, on the same machine. */
static void test_parts_nearest_is_ours(void **state)
{
	enum {
		COUNT = 48
	};
	static union {
		struct skuai_nearness nearness;
		char room[sizeof(struct skuai_nearness) + COUNT * sizeof(struct skuai_cpu)];
	} machine;
	unsigned cpus[COUNT];
	uint16_t numbers[COUNT];
	struct skuai_victims ours = { .numbers = numbers };

	(void)state;
	machine.nearness.limit = machine.nearness.count = COUNT;
	for (unsigned i = 0; i < COUNT; i++) {
		struct skuai_cpu *cpu = &machine.nearness.cpus[i];
		cpus[i] = i;
		cpu->is_allowed = true;
		cpu->in[SKUAI_IN_CORE] = (int16_t)(i / 2);
		cpu->in[SKUAI_IN_CACHE] = (int16_t)(i / 8);
		cpu->in[SKUAI_IN_NODE] = cpu->in[SKUAI_IN_PACKAGE] = (int16_t)(i / 24);
		cpu->node_number = (int16_t)(i / 24);
	}
	struct sim_config config = open_victims(SIM_VICTIM_NEAREST, COUNT);
	for (unsigned self = 0; self < COUNT; self++) {
		skuai_nearness_order(&machine.nearness, cpus, COUNT, self, &ours);
		for (unsigned i = 0; i + 1 < COUNT; i++) {
			uint32_t victim = sim_victim_next(&victims, self);
			unsigned begin = 0, level = sim_level(&config.topology, self, victim);
			unsigned start = victims.thief[self].hint;
			begin = level ? ours.ends[level - 1] : 0;
			unsigned size = ours.ends[level] - begin;
			assert_int_equal(victim, numbers[begin + (i - begin + start) % size]);
		}
	}
	sim_victims_close(&victims, &victims_heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts_events_in_order),
		cmocka_unit_test(test_parts_heap_is_stable),
		cmocka_unit_test(test_parts_draws),
		cmocka_unit_test(test_parts_products),
		cmocka_unit_test(test_parts_rounds_are_whole),
		cmocka_unit_test(test_parts_everybody_is_a_victim),
		cmocka_unit_test(test_parts_nearest_is_ours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
