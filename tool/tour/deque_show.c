/* SPDX-License-Identifier: MIT */
/* deque_show.c — an owner and thieves at one deque, run for the tour and counted */
#include "tour/deque_show.h"

#include "command.h"
#include "output.h"
#include "report.h"
#include "tour/bar.h"

#include <pthread.h>
#include <sched.h>
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ELEMENTS   200000
#define WORK	   600 /* steps each: about half a microsecond, so that a theft can pay */
#define BURST	   500
#define PAIRS	   100000
#define THIEF_MAX  7 /* more would only stand in line at one deque */
#define NAME_WIDTH 14

struct show {
	struct skua_deque deque;
	unsigned char taken[ELEMENTS + 1]; /* how often each came out; its taker writes */
};

struct taker {
	struct show *show;
	pthread_t thread;
	unsigned count;
	volatile unsigned result; /* keeps the work from being optimised away */
};

/* An element is a small job. */
static void work_on(struct taker *taker, uint64_t element)
{
	unsigned x = (unsigned)element;

	for (int i = 0; i < WORK; i++)
		x = x * 1664525 + 1013904223;
	taker->result = x;
	taker->show->taken[element]++;
	taker->count++;
}

/* Until it takes a 0, of which there is one for each thief in the end. */
static void *be_thief(void *argument)
{
	struct taker *thief = argument;
	uint64_t element;

	for (;;) {
		enum skua_take take = skua_deque_steal(&thief->show->deque, &element);
		if (take == SKUA_TAKE_GOT && element == 0)
			return NULL;
		if (take == SKUA_TAKE_GOT)
			work_on(thief, element);
		else if (take == SKUA_TAKE_EMPTY)
			sched_yield();
	}
}

static void be_owner(struct taker *owner)
{
	struct skua_deque *deque = &owner->show->deque;
	uint64_t element;

	for (uint64_t next = 1; next <= ELEMENTS;) {
		for (int i = 0; i < BURST && next <= ELEMENTS; i++, next++) {
			if (skua_deque_push(deque, next) != SKUA_OK)
				work_on(owner, next); /* no memory to grow: it is still ours */
		}
		while (skua_deque_pop(deque, &element) == SKUA_TAKE_GOT)
			work_on(owner, element);
	}
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* One push and one pop, nobody about: the best of five, for the screen is shared with others. */
static double pair_ns(struct skua_deque *deque)
{
	double best = 0;
	uint64_t element;

	skua_deque_push(deque, 0); /* below them, so that they are not the last one */
	for (int round = 0; round < 5; round++) {
		double start = now_ns();
		for (uint64_t i = 0; i < PAIRS; i++) {
			skua_deque_push(deque, i);
			skua_deque_pop(deque, &element);
		}
		double each = (now_ns() - start) / PAIRS;
		best = round == 0 || each < best ? each : best;
	}
	skua_deque_pop(deque, &element);
	return best;
}

/* 200000 as "200,000" */
static const char *grouped(unsigned number, char *text, size_t size)
{
	if (number >= 1000)
		snprintf(text, size, "%u,%03u", number / 1000, number % 1000);
	else
		snprintf(text, size, "%u", number);
	return text;
}

static void show_bar(const char *name, unsigned count)
{
	char number[16];
	unsigned room = report_width() - NAME_WIDTH - 12;
	unsigned length = (unsigned)((uint64_t)count * (room < 40 ? room : 40) / ELEMENTS);

	out("  %s%-*s%s%7s  ", report_paint(stdout, PAINT_LABEL), NAME_WIDTH, name,
	    report_paint(stdout, PAINT_PLAIN), grouped(count, number, sizeof(number)));
	bar_draw(length || !count ? length : 1);
	out("\n");
}

static void show_takers(const struct taker *takers, unsigned thieves)
{
	unsigned stolen = 0;
	char name[32];

	show_bar("owner", takers[0].count);
	for (unsigned i = 1; i <= thieves; i++)
		stolen += takers[i].count;
	snprintf(name, sizeof(name), thieves > 1 ? "%u thieves" : "thief", thieves);
	if (thieves)
		show_bar(name, stolen);
}

static int show_result(const struct show *show, double pair)
{
	unsigned once = 0, twice = 0;
	char number[16];

	for (unsigned i = 1; i <= ELEMENTS; i++) {
		once += show->taken[i] == 1;
		twice += show->taken[i] > 1;
	}
	grouped(ELEMENTS, number, sizeof(number));
	if (once == ELEMENTS) {
		report_text(0,
			    "A deque at work: %s pushed, %s taken, none twice; push+pop %.1f ns.",
			    number, number, pair);
		return STATUS_DONE;
	}
	report_text(0, "A deque at work: of %s pushed %u were lost and %u taken twice.", number,
		    ELEMENTS - once - twice, twice);
	fprintf(stderr, "skua tour: the deque lost or doubled elements; please report this\n");
	return STATUS_PARTLY;
}

static int run_show(struct show *show, unsigned wanted)
{
	struct taker takers[1 + THIEF_MAX] = { { .show = show } };
	unsigned thieves = 0;

	for (; thieves < wanted; thieves++) {
		struct taker *thief = &takers[1 + thieves];
		thief->show = show;
		if (pthread_create(&thief->thread, NULL, be_thief, thief))
			break; /* with fewer, then */
	}
	be_owner(&takers[0]);
	for (unsigned i = 0; i < thieves; i++)
		skua_deque_push(&show->deque, 0); /* it is empty: there is room */
	for (unsigned i = 1; i <= thieves; i++)
		pthread_join(takers[i].thread, NULL);
	int status = show_result(show, pair_ns(&show->deque));
	show_takers(takers, thieves);
	return status;
}

int deque_show(unsigned cpus)
{
	unsigned wanted = cpus > 1 ? cpus - 1 : 1;
	struct show *show = aligned_alloc(_Alignof(struct show), sizeof(*show));
	int error = SKUA_ENOMEM, status = STATUS_PARTLY;

	if (show) {
		*show = (struct show){ 0 };
		error = skua_deque_open(&show->deque, NULL);
	}
	if (error) {
		report_text(0, "A deque at work could not be shown: %s.", skua_strerror(error));
		fprintf(stderr, "skua tour: cannot open a deque: %s\n", skua_strerror(error));
	} else {
		status = run_show(show, wanted < THIEF_MAX ? wanted : THIEF_MAX);
		skua_deque_close(&show->deque);
	}
	free(show);
	return status;
}
