/* SPDX-License-Identifier: MIT */
/* scan_progress.c — how far a scan is, on a terminal or when asked; and stopping it by signal */
#include "scan/dupes.h"
#include "scan/mounted.h"
#include "scan/scan_command.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define STEP_NS	      100000000 /* ten times a second */
#define QUIET_NS      500000000 /* what takes less needs no progress */
#define WHERE_WORD    ", in "
#define WHERE_LEAST   8	 /* columns of a path that still tell something */
#define COLUMNS_LEAST 10 /* a terminal that says less does not know */
#define COLUMNS_ELSE  79

/* What the signal handlers reach: the scan that runs now, and whether a line is wanted. */
static struct scan *volatile running;
static volatile sig_atomic_t is_interrupted, is_line_wanted;

static void on_interrupt(int number)
{
	struct scan *scan = running;

	(void)number;
	is_interrupted = 1;
	if (scan)
		scan_stop(scan);
}

static void on_question(int number)
{
	(void)number;
	is_line_wanted = 1;
}

/* Not where the signal is ignored: that was somebody's wish. */
static void catch_signal(int number, void (*handler)(int), int flags, struct sigaction *old)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&action.sa_mask);
	if (sigaction(number, NULL, old) == 0 && old->sa_handler != SIG_IGN)
		sigaction(number, &action, NULL);
}

static uint64_t entries_in(const struct scan_tally *tally)
{
	return tally->directories + tally->files + tally->symlinks + tally->others;
}

/* Inodes in use below the operand, where that is a whole file system; 0: not known. */
static uint64_t expected_entries(const struct scan *scan)
{
	const struct scan_options *options = &scan->options;

	if (!options->is_one_device || options->path_count != 1 || options->filter)
		return 0;
	int fd = open(options->paths[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	uint64_t inodes = mounted_inodes(fd);
	close(fd);
	return inodes;
}

/* What is shown, and how. */
struct progress {
	struct scan *scan;
	const struct dupes *dupes; /* NULL: it is the walk that goes on */
	uint64_t expected;
	int64_t started_ns;
	bool is_terminal;
	bool is_shown; /* there is a line to be wiped */
	char where[SPOT_BYTES];
};

static double seconds_of(const struct progress *progress)
{
	double seconds = (double)(skua_clock_ns() - progress->started_ns) / 1e9;

	return seconds > 0 ? seconds : 1;
}

/* "skua scan: duplicates: 1.2 GiB of at most 3.4 GiB read, 400 MiB/s" */
static struct text head_of_dupes(const struct progress *progress)
{
	/* order: relaxed, both; counts of threads that go on */
	uint64_t read = atomic_load_explicit(&progress->dupes->bytes_read, memory_order_relaxed);
	uint64_t most = atomic_load_explicit(&progress->dupes->bytes_planned, memory_order_relaxed);
	struct text head;

	snprintf(head.s, sizeof(head.s),
		 "skua scan: duplicates: %.30s of at most %.30s read, %.30s/s", scan_bytes(read).s,
		 scan_bytes(most).s, scan_bytes((uint64_t)((double)read / seconds_of(progress))).s);
	return head;
}

/* "skua scan: 123,456 entries, 400,000/s, 2 errors, 37 %" */
static struct text head_of(const struct progress *progress)
{
	char share[16] = "", errors[64] = "";
	struct scan_tally tally;
	struct text head;

	if (progress->dupes)
		return head_of_dupes(progress);
	scan_look(progress->scan, &tally);
	uint64_t entries = entries_in(&tally), expected = progress->expected;
	if (expected) /* names of one file are one inode: never say that all is done */
		snprintf(share, sizeof(share), ", %u %%",
			 entries < expected ? (unsigned)(entries * 99 / expected) : 99);
	if (tally.errors)
		snprintf(errors, sizeof(errors), ", %.30s error%s", scan_number(tally.errors).s,
			 tally.errors == 1 ? "" : "s");
	snprintf(head.s, sizeof(head.s), "skua scan: %.30s entries, %.30s/s%s%s",
		 scan_number(entries).s,
		 scan_number((uint64_t)((double)entries / seconds_of(progress))).s, errors, share);
	return head;
}

/* Of the terminal, less the one that would make it go on below. */
static unsigned columns_of_terminal(void)
{
	struct winsize window;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > COLUMNS_LEAST
		       ? window.ws_col - 1u
		       : COLUMNS_ELSE;
}

/* On the same line again, cut to it. */
static void show_on_terminal(struct progress *progress)
{
	unsigned columns = columns_of_terminal();
	struct text head = text_clean(head_of(progress).s, columns);
	unsigned used = text_width(head.s, strlen(head.s)) + (unsigned)strlen(WHERE_WORD);

	fprintf(stderr, "\r%s", head.s);
	if (progress->where[0] && used + WHERE_LEAST <= columns)
		fprintf(stderr, WHERE_WORD "%s", text_clean(progress->where, columns - used).s);
	fputs("\033[K", stderr);
	fflush(stderr);
	progress->is_shown = true;
}

static void wipe(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}

/* For who asked by a signal: a line of its own, whole. */
static void show_line(struct progress *progress)
{
	wipe(progress);
	fputs(head_of(progress).s, stderr);
	if (progress->where[0]) {
		fputs(WHERE_WORD, stderr);
		scan_put_path(stderr, progress->where);
	}
	fputs("\n", stderr);
	fflush(stderr);
}

/* A tenth of a second went by. */
static void show_step(struct progress *progress)
{
	if (is_line_wanted) {
		is_line_wanted = 0;
		show_line(progress);
	} else if (progress->is_terminal && skua_clock_ns() - progress->started_ns > QUIET_NS) {
		show_on_terminal(progress);
	}
}

static void walk_shown(struct scan *scan)
{
	struct progress progress = { .scan = scan,
				     .expected = expected_entries(scan),
				     .is_terminal = isatty(STDERR_FILENO) == 1 };

	spot_look(&scan->spot, progress.where); /* nothing yet, but now it is asked for */
	scan_start(scan);
	progress.started_ns = scan->started_ns;
	while (!scan_wait(scan, skua_clock_ns() + STEP_NS)) {
		spot_look(&scan->spot, progress.where);
		show_step(&progress);
	}
	wipe(&progress);
}

void scan_catch_signals(struct scan *scan, struct scan_signals *signals)
{
	is_interrupted = is_line_wanted = 0;
	running = scan;
	/* The second one finds the default action again, and ends us at once. */
	catch_signal(SIGINT, on_interrupt, (int)SA_RESETHAND, &signals->interrupt);
	catch_signal(SIGUSR1, on_question, SA_RESTART, &signals->question);
}

bool scan_release_signals(const struct scan_signals *signals)
{
	running = NULL;
	sigaction(SIGINT, &signals->interrupt, NULL);
	sigaction(SIGUSR1, &signals->question, NULL);
	return is_interrupted;
}

bool scan_run_shown(struct scan *scan)
{
	struct scan_signals signals;

	scan_catch_signals(scan, &signals);
	walk_shown(scan);
	return scan_release_signals(&signals);
}

/* --- duplicates --- */

/* dupes_find as a job of the pool, so that this thread is free to show how far it is. */
struct search {
	struct dupes *dupes;
	bool is_compared;
	struct skua_future done;
};

static void search_job(struct skua_slot *here, void *argument)
{
	struct search *search = argument;

	(void)here;
	skua_future_fulfil(&search->done, dupes_find(search->dupes, 1, search->is_compared));
}

int scan_find_shown(struct dupes *dupes, bool is_compared)
{
	struct progress progress = { .scan = dupes->scan,
				     .dupes = dupes,
				     .started_ns = skua_clock_ns(),
				     .is_terminal = isatty(STDERR_FILENO) == 1 };
	struct search search = { .dupes = dupes, .is_compared = is_compared };
	int error;

	if (skua_detach(dupes->scan->pool, search_job, &search) != SKUA_OK)
		search_job(NULL, &search);
	while ((error = skua_await(&search.done, skua_clock_ns() + STEP_NS)) == SKUA_ETIMEDOUT)
		show_step(&progress);
	wipe(&progress);
	return error;
}
