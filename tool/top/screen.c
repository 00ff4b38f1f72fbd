/* SPDX-License-Identifier: MIT */
/* screen.c — a terminal taken over for a while, and given back as it was */
#include "top/screen.h"

#include "output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[?7l" /* another page, no cursor, lines are cut */
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

static const int caught[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCONT };
static volatile sig_atomic_t end_signal, is_stop_wanted, is_changed;
static struct termios keys_before;
static bool has_keys, is_prepared;
static sigset_t mask_outside; /* as it was: only screen_wait lets signals in */

static void on_signal(int number)
{
	if (number == SIGTSTP)
		is_stop_wanted = 1;
	else if (number == SIGWINCH || number == SIGCONT)
		is_changed = 1;
	else
		end_signal = number;
}

bool screen_is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

/* Once: signals wait for screen_wait.  One that was ignored stays so. */
static void prepare_signals(void)
{
	sigset_t blocked;
	struct sigaction old, action = { .sa_handler = on_signal };

	if (is_prepared)
		return;
	is_prepared = true;
	sigemptyset(&blocked);
	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
			sigaddset(&blocked, caught[i]);
			sigaction(caught[i], &action, NULL);
		}
	sigprocmask(SIG_BLOCK, &blocked, &mask_outside);
}

void screen_enter(void)
{
	prepare_signals();
	has_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &keys_before) == 0;
	if (has_keys) {
		struct termios keys = keys_before;
		keys.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
		keys.c_cc[VMIN] = 0;
		keys.c_cc[VTIME] = 0;
		tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	}
	out(ENTER);
	fflush(stdout);
}

void screen_leave(void)
{
	out(LEAVE);
	fflush(stdout);
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &keys_before);
}

void screen_size(unsigned *columns, unsigned *lines)
{
	struct winsize window;

	*columns = 80;
	*lines = 24;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0) {
		if (window.ws_col)
			*columns = window.ws_col;
		if (window.ws_row)
			*lines = window.ws_row;
	}
}

void screen_show(const char *text, size_t bytes)
{
	unsigned columns, lines;
	const char *end = text + bytes;

	screen_size(&columns, &lines);
	out("\033[H");
	for (unsigned line = 0; line < lines && text < end; line++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = stop ? (size_t)(stop - text) : (size_t)(end - text);
		bool is_last = line + 1 == lines && text + length + 1 < end;
		if (is_last)
			out("(more below: a taller window shows them)");
		else
			out_bytes(text, length);
		out(line + 1 < lines ? "\033[K\r\n" : "\033[K");
		text += length + 1;
	}
	out("\033[J");
	fflush(stdout);
}

/* Stopped by Ctrl-Z: the terminal is the shell's meanwhile. */
static void stop_for_a_while(void)
{
	is_stop_wanted = 0;
	screen_leave();
	raise(SIGSTOP);
	screen_enter();
	is_changed = 1;
}

/* A key that ends it; the terminal being gone is one. */
static bool is_quit_pressed(short events)
{
	char key;

	while (events & POLLIN && read(STDIN_FILENO, &key, 1) == 1)
		if (key == 'q' || key == 'Q' || key == 4)
			return true;
	return events & (POLLHUP | POLLERR | POLLNVAL); /* which a lost terminal adds to POLLIN */
}

static int64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum screen_event screen_wait(int64_t deadline_ns, int *number)
{
	*number = 0;
	for (;;) {
		int64_t left = deadline_ns - clock_now();
		struct timespec time = { .tv_sec = left > 0 ? left / 1000000000 : 0,
					 .tv_nsec = left > 0 ? left % 1000000000 : 0 };
		struct pollfd input = { .fd = has_keys ? STDIN_FILENO : -1, .events = POLLIN };
		int ready = ppoll(&input, 1, &time, &mask_outside);
		if (end_signal) {
			*number = end_signal;
			return SCREEN_QUIT;
		}
		if (is_stop_wanted)
			stop_for_a_while();
		if (is_changed) {
			is_changed = 0;
			return SCREEN_REDRAW;
		}
		if (ready > 0 && is_quit_pressed(input.revents))
			return SCREEN_QUIT;
		if (ready == 0)
			return SCREEN_TIME;
	}
}
