/* SPDX-License-Identifier: MIT */
/* cmd_view.c — `skua view`: the page of work stealing as a file, or served, with a trace in it */
#include "args.h"
#include "output.h"
#include "text.h"
#include "trace/trace_read.h"
#include "view/serve.h"
#include "view/view_page.h"
#include "whole_file.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_TRACE_MAX ((size_t)1 << 30) /* web/page/trace_source.js takes no more */

struct view_options {
	const char *output;
	uint64_t port; /* PORT_UNSAID: none was given */
	bool is_served, is_forced;
};

#define PORT_UNSAID UINT64_MAX

static int check_words(const struct call *call, const struct view_options *options)
{
	if (options->is_served && (options->output || options->is_forced))
		return args_blame(call, options->output,
				  "--serve writes no file; leave --output and --force out",
				  "either a file or a server, not both");
	if (!options->is_served && options->port != PORT_UNSAID)
		return args_blame(call, NULL, "add --serve, or leave --port out",
				  "--port goes with --serve");
	if (options->output && !*options->output)
		return args_blame(call, NULL, "for example -o page.html", "--output names no file");
	if (options->output && strcmp(options->output, "-") == 0 && isatty(STDOUT_FILENO))
		return args_blame(call, options->output, "send it to a file: -o page.html",
				  "the page is nothing for a terminal");
	return ARGS_GO;
}

/* What a trace is called: the last part of its path. */
static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* "run.trace" becomes "run.html" here, wherever it was; NULL: no memory. */
static char *choose_name(const char *trace)
{
	const char *name = !trace ? "skua" : strcmp(trace, "-") == 0 ? "trace" : last_part(trace);
	size_t length = strlen(name), ending = strlen(".trace");
	char *path;

	if (length > ending && strcmp(name + length - ending, ".trace") == 0)
		length -= ending;
	return asprintf(&path, "%.*s.html", (int)length, name) < 0 ? NULL : path;
}

static const char *hint_of(const char *path, int error)
{
	if (error == ENOENT)
		return whole_file_is_lost_link(path)
			       ? "; it is a link to a file that is not there: remove it, or name "
				 "another with -o"
			       : "; is there such a folder?";
	return error == ENOSPC ? "; try a folder with more room" : "; try another name with -o";
}

static int refuse_same(const char *path)
{
	fprintf(stderr,
		"skua view: %s is the trace itself, which the page would replace; name another "
		"file with -o\n",
		strcmp(path, "-") == 0 ? "standard output" : text_clean(path, 0).s);
	return STATUS_FAULT;
}

static int write_file(const struct view_page *page, const char *path)
{
	struct whole_file file;
	int error = whole_file_open(&file, path);

	if (!error) {
		bool is_known = view_page_write(file.to, page);
		error = whole_file_close(&file, is_known ? 0 : EPROTO);
	}
	if (!error) {
		out("%s\n", text_clean(path, 0).s);
		fprintf(stderr, "skua view: the page is written; open it in a browser\n");
		return STATUS_DONE;
	}
	fprintf(stderr, "skua view: cannot write the page to %s: %s%s\n", text_clean(path, 0).s,
		strerror(error), hint_of(path, error));
	return STATUS_FAULT;
}

/* The whole page in memory; NULL, after a message: there is not enough. */
static char *make_page(const struct view_page *page, size_t *bytes)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, bytes);
	bool is_made = to && view_page_write(to, page) && !ferror(to);

	if (to && fclose(to) != 0)
		is_made = false;
	if (is_made)
		return text;
	fprintf(stderr, "skua view: not enough memory for the page\n");
	free(text);
	return NULL;
}

static int print_page(const struct view_page *page)
{
	size_t bytes;
	char *text = make_page(page, &bytes);

	if (!text)
		return STATUS_FAULT;
	out_bytes(text, bytes);
	free(text);
	return STATUS_DONE;
}

static int serve_page(struct view_page *page, const struct view_options *options)
{
	struct serve serve = { .port = 0 };

	page->is_live = true;
	char *text = make_page(page, &serve.page_bytes);
	if (!text)
		return STATUS_FAULT;
	serve.page = text;
	if (options->port != PORT_UNSAID)
		serve.port = (uint16_t)options->port;
	int status = serve_run(&serve);
	free(text);
	return status;
}

/* Where no name was given, nothing that is there is replaced. */
static int write_page(const struct view_page *page, const char *trace,
		      const struct view_options *options)
{
	if (options->output && trace && whole_file_is_same(options->output, trace))
		return refuse_same(options->output);
	if (options->output && strcmp(options->output, "-") == 0)
		return print_page(page);
	if (options->output)
		return write_file(page, options->output);
	char *path = choose_name(trace);
	if (!path) {
		fprintf(stderr, "skua view: not enough memory\n");
		return STATUS_FAULT;
	}
	int status = STATUS_FAULT;
	if (!options->is_forced && access(path, F_OK) == 0)
		fprintf(stderr,
			"skua view: %s is already there; name another with -o, or replace it with "
			"--force\n",
			text_clean(path, 0).s);
	else if (trace && whole_file_is_same(path, trace))
		status = refuse_same(path);
	else
		status = write_file(page, path);
	free(path);
	return status;
}

static int view_with(const char *path, const struct view_options *options)
{
	struct trace trace = { 0 };
	struct view_page page = { 0 };
	struct view_coarse coarse;
	int status;

	if (path && !trace_load(&trace, path, "view"))
		return STATUS_FAULT;
	if (path) {
		page.trace = trace.owned;
		page.trace_bytes = trace.owned_bytes;
		page.name = strcmp(path, "-") == 0 ? "standard input" : last_part(path);
		page.coarse = view_coarse_make(&coarse, &trace) ? &coarse : NULL;
	}
	if (page.trace_bytes > PAGE_TRACE_MAX) {
		fprintf(stderr,
			"skua view: %s has more than a gigabyte, too much for a page; record a "
			"shorter time, or try 'skua trace convert'\n",
			text_clean(path, 0).s);
		status = STATUS_FAULT;
	} else if (options->is_served) {
		status = serve_page(&page, options);
	} else {
		status = write_page(&page, path, options);
	}
	if (trace.is_truncated && status == STATUS_DONE) {
		fprintf(stderr,
			"skua view: %s is cut short: the page shows what is in it; record it again "
			"where there is room\n",
			text_clean(path, 0).s);
		status = STATUS_PARTLY;
	}
	trace_drop(&trace);
	return status;
}

static int view_command(struct call *call)
{
	struct view_options options = { .port = PORT_UNSAID };
	int status = args_parse(call, &options);

	if (status == ARGS_GO)
		status = check_words(call, &options);
	if (status != ARGS_GO)
		return status;
	if (!skua_page_bytes) {
		fprintf(stderr,
			"skua view: this skua was built without the page: no %s; 'tools/setup "
			"test' installs what it needs, then build again\n",
			skua_page_lacks);
		return STATUS_PARTLY;
	}
	return view_with(call->operand_count ? call->operands[0] : NULL, &options);
}

static const struct arg_option view_option_table[] = {
	{ .name = "output",
	  .letter = 'o',
	  .kind = ARG_WORD,
	  .value = "FILE",
	  .role = "write the page there; - is standard output",
	  .offset = offsetof(struct view_options, output) },
	{ .name = "force",
	  .letter = 'f',
	  .kind = ARG_FLAG,
	  .role = "without --output: replace what is there",
	  .offset = offsetof(struct view_options, is_forced) },
	{ .name = "serve",
	  .kind = ARG_FLAG,
	  .role = "serve it to this machine, with live counters",
	  .offset = offsetof(struct view_options, is_served) },
	{ .name = "port",
	  .kind = ARG_NUMBER,
	  .value = "N",
	  .role = "serve on this port; any free one by default",
	  .least = 0,
	  .most = 65535,
	  .offset = offsetof(struct view_options, port) },
	{ .name = NULL },
};

const struct command command_view = {
	.name = "view",
	.role = "See a trace, races and stealing in a page for browsers",
	.options = view_option_table,
	.operands = "[TRACE]",
	.operands_max = 1,
	.about = "Writes one HTML file that needs no network and no other file: with TRACE, which\n"
		 "a program records that runs with SKUA_TRACE=FILE, it shows that run. The file\n"
		 "is called as TRACE is, or skua.html, unless --output says otherwise.\n"
		 "\n"
		 "With --serve nothing is written: the page is at the printed address until\n"
		 "Ctrl-C, and shows pools that run with SKUA_MONITOR=1 as well.\n"
		 "\n"
		 "Exit status: 0 done, 1 TRACE is cut short, or this skua has no page, 2 usage,\n"
		 "3 TRACE could not be read or the page not be written or served.\n"
		 "\n"
		 "Examples:\n"
		 "  skua view run.trace\n"
		 "  skua view --serve\n"
		 "\n"
		 "The manual is skua-view(1).\n",
	.run = view_command,
};
