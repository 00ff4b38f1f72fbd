/* SPDX-License-Identifier: MIT */
/* launch.c — start one program and tell what it used: launch FD COMMAND [ARGUMENT...] */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * Linux hands the peak memory of a process on to what it executes, and Python's is larger than that
 * of many a program here: measured from Python, every small program would have Python's peak.  This
 * one is small.  It writes one line to descriptor FD:
 *
 *	status, wall ns, user us, system us, peak KiB, voluntary switches, involuntary switches
 *
 * The status is that of wait4(2).  127: the command could not be started.
 */
enum {
	ANSWER = 3
};

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long in_us(struct timeval time)
{
	return time.tv_sec * 1000000LL + time.tv_usec;
}

static int start(int answer, char **argv)
{
	close(answer);
	execvp(argv[0], argv);
	fprintf(stderr, "launch: cannot start '%s': %s\n", argv[0], strerror(errno));
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status = 0;

	int answer = argc > 2 ? atoi(argv[1]) : 0;
	if (answer < 3) {
		fputs("usage: launch FD COMMAND [ARGUMENT...]\n", stderr);
		return 2;
	}
	long long begin = now_ns();
	pid_t child = fork();
	if (child == 0)
		return start(answer, argv + 2);
	if (child < 0 || wait4(child, &status, 0, &used) != child) {
		perror("launch");
		return 3;
	}
	long long wall = now_ns() - begin;
	dprintf(answer, "%d %lld %lld %lld %ld %ld %ld\n", status, wall, in_us(used.ru_utime),
		in_us(used.ru_stime), used.ru_maxrss, used.ru_nvcsw, used.ru_nivcsw);
	return 0;
}
