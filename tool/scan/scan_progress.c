/* SPDX-License-Identifier: MIT */
/* scan_progress.c — how far a scan is, on a terminal or when asked; and
 * stopping it by signal */
#include "scan/scan_command.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define STEP_NS	 100000000 /* ten times a second */
#define QUIET_NS 500000000 /* what takes less needs no progress */

/* What the signal handlers reach: the scan that runs now, and whether a line is
 * wanted. */
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

/*
 * Inodes in use below the operand: known only where it is the root of a file
 * system that we do not leave.  0: not known.
 */
static uint64_t expected_entries(const struct scan *scan)
{
	const struct scan_options *options = &scan->options;
	struct stat here, above;
	struct statvfs system;

	if (!options->is_one_device || options->path_count != 1 || options->filter)
		return 0;
	int fd = open(options->paths[0], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	bool is_top = fstat(fd, &here) == 0 && fstatat(fd, "..", &above, 0) == 0 &&
		      (here.st_dev != above.st_dev || here.st_ino == above.st_ino);
	bool is_told = is_top && fstatvfs(fd, &system) == 0 && system.f_files > system.f_ffree;
	close(fd);
	return is_told ? system.f_files - system.f_ffree : 0;
}

/* "skua scan: 123,456 entries, 400,000/s, 2 errors, 37 %" */
static void show_line(const struct scan *scan, uint64_t expected, const char *before,
		      const char *after)
{
	struct scan_tally tally;
	double seconds = (double)(skua_clock_ns() - scan->started_ns) / 1e9;
	char share[16] = "", errors[64] = "";

	scan_look(scan, &tally);
	uint64_t entries = entries_in(&tally);
	if (expected) /* a file with several names is one inode: never say that all is
                   done */
		snprintf(share, sizeof(share), ", %u %%",
			 entries < expected ? (unsigned)(entries * 99 / expected) : 99);
	if (tally.errors)
		snprintf(errors, sizeof(errors), ", %.30s error%s", scan_number(tally.errors).s,
			 tally.errors == 1 ? "" : "s");
	fprintf(stderr, "%sskua scan: %s entries, %s/s%s%s%s", before, scan_number(entries).s,
		scan_number((uint64_t)((double)entries / (seconds > 0 ? seconds : 1))).s, errors,
		share, after);
	fflush(stderr);
}

static void wait_shown(struct scan *scan)
{
	bool is_terminal = isatty(STDERR_FILENO) == 1, is_shown = false;
	uint64_t expected = expected_entries(scan);

	while (!scan_wait(scan, skua_clock_ns() + STEP_NS)) {
		bool is_due = is_terminal && skua_clock_ns() - scan->started_ns > QUIET_NS;
		if (is_line_wanted) {
			is_line_wanted = 0;
			show_line(scan, expected, is_shown ? "\r\033[K" : "", "\n");
			is_shown = false;
		} else if (is_due) {
			show_line(scan, expected, "\r", "\033[K");
			is_shown = true;
		}
	}
	if (is_shown)
		fputs("\r\033[K", stderr);
}

bool scan_run_shown(struct scan *scan)
{
	struct sigaction old_interrupt, old_question;

	is_interrupted = 0;
	running = scan;
	/* The second one finds the default action again, and ends us at once. */
	catch_signal(SIGINT, on_interrupt, (int)SA_RESETHAND, &old_interrupt);
	catch_signal(SIGUSR1, on_question, SA_RESTART, &old_question);
	scan_start(scan);
	wait_shown(scan);
	running = NULL;
	sigaction(SIGINT, &old_interrupt, NULL);
	sigaction(SIGUSR1, &old_question, NULL);
	return is_interrupted;
}
