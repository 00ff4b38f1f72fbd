/* SPDX-License-Identifier: MIT */
/* 16_event_loop.c — poll(2) over a pipe and over the futures of what came through it */
#include <poll.h>
#include <pthread.h>
#include <skua/skua.h>
#include <stdio.h>
#include <unistd.h>

#define REQUESTS 6

SKUA_TASK(long, fib, int, n)
{
	if (n < 2)
		return n;
	skua_fork(fib, a, n - 1);
	long b = skua_call(fib, n - 2);
	return skua_join(fib, a) + b;
}

SKUA_FUTURE(struct answer, long);

struct request {
	struct answer *answer;
	int n;
};

static int work(struct skua_slot *skua_here, void *argument)
{
	struct request *request = argument;

	request->answer->value = skua_call(fib, request->n);
	return SKUA_OK;
}

static int ends[2]; /* of the pipe */

/* Somebody at the other end, who asks for a number now and then. */
static void *ask(void *unused)
{
	const unsigned char numbers[REQUESTS] = { 20, 25, 18, 22, 5, 24 };

	for (unsigned i = 0; i < REQUESTS; i++)
		if (write(ends[1], &numbers[i], 1) != 1)
			break;
	close(ends[1]);
	return unused;
}

static struct answer answers[REQUESTS];
static struct pollfd fds[1 + REQUESTS]; /* the pipe, and the future of each request */
static unsigned asked, answered;
static long sum;

static int take_request(void)
{
	unsigned char n;

	if (read(ends[0], &n, 1) != 1 || asked == REQUESTS) {
		fds[0].fd = -1; /* nobody asks any more; poll passes over it */
		return SKUA_OK;
	}
	struct request request = { &answers[asked], n };
	struct pollfd *own = &fds[++asked];
	*own = (struct pollfd){ .fd = -1, .events = POLLIN };
	int error = skua_async(NULL, &request.answer->future, work, &request);
	return error ? error : skua_future_fd(&request.answer->future, &own->fd);
}

static int take_answer(unsigned i)
{
	int error = skua_await(&answers[i - 1].future, 0); /* it is there: nobody waits */

	printf("answer to request %u: %ld\n", i, answers[i - 1].value);
	sum += answers[i - 1].value;
	answered++;
	close(fds[i].fd);
	fds[i].fd = -1;
	return error;
}

int main(void)
{
	pthread_t asker;
	int error = SKUA_OK;

	if (pipe(ends) || pthread_create(&asker, NULL, ask, NULL))
		return 1;
	fds[0] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	while (!error && (fds[0].fd >= 0 || answered < asked)) {
		if (poll(fds, 1 + asked, -1) < 0)
			break;
		for (unsigned i = 1; i <= asked && !error; i++)
			if (fds[i].fd >= 0 && fds[i].revents & POLLIN)
				error = take_answer(i);
		if (!error && fds[0].fd >= 0 && fds[0].revents)
			error = take_request();
	}
	if (error)
		fprintf(stderr, "16_event_loop: %s\n", skua_strerror(error));
	pthread_join(asker, NULL);
	close(ends[0]);
	skua_pool_close(NULL, SKUA_CLOSE_DRAIN);
	return answered == REQUESTS && sum == 6765 + 75025 + 2584 + 17711 + 5 + 46368 ? 0 : 1;
}
