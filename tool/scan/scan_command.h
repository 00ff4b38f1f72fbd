/* SPDX-License-Identifier: MIT */
/* scan_command.h — `skua scan`: what the user asked for, and the reports that answer it */
#ifndef SKUAT_SCAN_COMMAND_H
#define SKUAT_SCAN_COMMAND_H

#include "command.h"
#include "json.h"
#include "scan/du.h"
#include "scan/filter.h"
#include "scan/walk.h"
#include "text.h"

#include <signal.h>
#include <stdio.h>

/* The one list of reports, each a `const struct scan_report scan_report_NAME` of its file. */
#define SCAN_REPORTS(X)  \
	X(tree)          \
	X(largest_files) \
	X(largest_dirs)  \
	X(recent)        \
	X(extensions)    \
	X(empty_dirs)    \
	X(symlinks)      \
	X(errors)        \
	X(stats)         \
	X(inodes)        \
	X(metrics)       \
	X(duplicates)    \
	X(html)          \
	X(du)            \
	X(ndjson)        \
	X(ncdu)          \
	X(folded)

#define SCAN_REPORTS_MAX 32

#define SCAN_STATUS_INTERRUPTED 130 /* 128 and the number of SIGINT, as shells have it */

struct scan_report;

/* As the command line has it; offsets of its fields are in cmd_scan.c's table of options. */
struct scan_choice {
	struct scan_options walk;
	struct filter filter;
	struct du_choice du;
	const struct scan_report *reports[SCAN_REPORTS_MAX]; /* in the order they were asked for */
	unsigned report_count;
	const char **excludes; /* what filter.excludes points to; room for argc */
	struct json *json;     /* the open object; NULL: text */
	int64_t now;	       /* seconds: what ages are counted from */
	bool is_json, is_null_ended;
	bool is_count;	       /* no sizes are shown */
	bool is_apparent;      /* where a report shows one size: the apparent one */
	bool is_screen_reader; /* no bars and no lines: a column for the depth */
	uint64_t workers;
	uint64_t max_depth; /* of what is shown; UINT64_MAX: all */
	uint64_t limit;	    /* rows of a list; UINT64_MAX: all */
	uint64_t tree_rows, largest_files, largest_dirs;
	int64_t recent;			     /* files changed since, seconds */
	const char *import_file, *load_file; /* read instead of walking */
	const char *save_file;
	const char *html_file;
	const char *trace_file;			       /* what the workers do goes there */
	bool is_diff;				       /* `diff A B` */
	bool is_verifying;			       /* duplicates: every byte is compared */
	bool is_hardlinking, is_deduping, is_applying; /* duplicates: what is done about them */
};

/* A report of its own: tree, largest files... */
struct scan_report {
	const char *name;      /* of its option, without dashes */
	const char *title;     /* above its text; NULL: none */
	enum scan_level level; /* what it needs of the walk */
	bool needs_sizes;      /* else a walk that only counts will do */
	bool is_alone;	       /* nothing else is printed: no summary, no JSON around it */
	bool is_paths;	       /* with -0 it is a list of paths, each ended by a 0 byte */
	bool needs_du_order;   /* names read as du reads them */
	/*
	 * Print it as text, as paths (choice->is_null_ended), or as members of the open object
	 * (choice->json).  Returns STATUS_DONE, or another status after a message.
	 */
	int (*print)(struct scan *scan, const struct scan_choice *choice);
};

#define SCAN_REPORT_DECLARE(name) extern const struct scan_report scan_report_##name;
SCAN_REPORTS(SCAN_REPORT_DECLARE)
#undef SCAN_REPORT_DECLARE

struct arg_option; /* args.h */

/* --- scan_choice.c: values of options, for ARG_CALL --- */

/* Ask for the report that the option is named after; a value is a number, to its variable. */
int scan_take_report(const struct call *call, const struct arg_option *option, void *values,
		     const char *value);
int scan_take_html(const struct call *call, const struct arg_option *option, void *values,
		   const char *value);
int scan_take_exclude(const struct call *call, const struct arg_option *option, void *values,
		      const char *value);
int scan_take_links(const struct call *call, const struct arg_option *option, void *values,
		    const char *value);
int scan_take_types(const struct call *call, const struct arg_option *option, void *values,
		    const char *value);
/* "10M" or "10KB" to a uint64_t; "1h" or "@0" to an int64_t, the moment so long ago. */
int scan_take_size(const struct call *call, const struct arg_option *option, void *values,
		   const char *value);
int scan_take_age(const struct call *call, const struct arg_option *option, void *values,
		  const char *value);
int scan_take_recent(const struct call *call, const struct arg_option *option, void *values,
		     const char *value);

/* scan_values.c: the same without complaint; false when it is none. */
bool scan_read_size(const char *text, uint64_t *bytes);
bool scan_read_age(const char *text, int64_t now, int64_t *moment);

/* --- scan_words.c: what several reports print --- */

struct text scan_bytes(uint64_t bytes);	  /* "0 bytes", "1.2 GiB" */
struct text scan_number(uint64_t number); /* "1,234,567" */
struct text scan_moment(int64_t seconds); /* "2026-11-15 23:59:59", local time */

/* A path of any length, cleaned for a terminal. */
void scan_put_path(FILE *to, const char *path);

/* scan_sizes.c: the size that the user wants to see. */
uint64_t scan_size_of_dir(const struct scan_choice *choice, const struct scan_dir *dir);
uint64_t scan_size_of_file(const struct scan_choice *choice, const struct scan_file *file);

/* Is its size counted at this name?  Not where another of its names has it. */
static inline bool scan_is_charged(const struct scan_file *file)
{
	return !(file->flags & SCAN_REPEATED);
}

/* The same within its directory: with the policy `subtree` each directory has it. */
static inline bool scan_is_charged_here(enum scan_links links, const struct scan_file *file)
{
	return scan_is_charged(file) || links == SCAN_LINKS_SUBTREE;
}

/* Entries below a directory, itself included. */
uint64_t scan_entries_of(const struct scan_dir *dir);

/* Levels of directories below the operand. */
uint32_t scan_deepest(const struct scan *scan);

/* "cannot open", and the reason in words. */
const char *scan_error_step(const struct scan_error *error);
const char *scan_error_reason(const struct scan_error *error);

/* --- scan_summary.c --- */

void scan_summary_text(const struct scan *scan, const struct scan_choice *choice);
void scan_summary_json(const struct scan *scan, const struct scan_choice *choice);
/* On standard error, a line each; only how many when a report lists them. */
void scan_tell_errors(const struct scan *scan, const struct scan_choice *choice);

/* --- scan_progress.c --- */

/* Walk, and show how far it is; SIGINT stops it, SIGUSR1 shows a line.  True: interrupted. */
bool scan_run_shown(struct scan *scan);

/* dupes_find with the same manners; in between scan_catch_signals and scan_release_signals. */
struct dupes;
int scan_find_shown(struct dupes *dupes, bool is_compared);

/* From here on SIGINT stops the scan, a second one the command. */
struct scan_signals {
	struct sigaction interrupt, question; /* what was there before */
};
void scan_catch_signals(struct scan *scan, struct scan_signals *signals);
bool scan_release_signals(const struct scan_signals *signals); /* true: it was interrupted */

#endif
