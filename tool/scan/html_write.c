/* SPDX-License-Identifier: MIT */
/* html_write.c — `skua scan --html`: one page that needs no network and no other file */
#include "output.h"
#include "scan/extension_table.h"
#include "scan/html_page.h"
#include "scan/scan_top.h"
#include "whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the page lists, at most; arbitrary. */
#define LARGEST	       20
#define EXTENSIONS_MAX 40
#define ERRORS_MAX     200

/* The page without its data, and where the data goes; made of web/scan_page.html by the build. */
extern const unsigned char scan_page[];
static const char data_mark[] = "/*DATA*/";

/* A JSON string that no script element can be ended by; what is not UTF-8 becomes U+FFFD. */
static void put_text(FILE *to, const char *text)
{
	size_t left = strlen(text);
	uint32_t character;

	putc('"', to);
	while (left) {
		size_t bytes = text_decode(text, left, &character);
		if (character == TEXT_INVALID)
			fputs("\\ufffd", to);
		else if (character < 0x20 || character == '"' || character == '\\' ||
			 character == '<' || character == 0x2028 || character == 0x2029)
			fprintf(to, "\\u%04x", (unsigned)character);
		else
			fwrite(text, 1, bytes, to);
		text += bytes;
		left -= bytes;
	}
	putc('"', to);
}

static void put_name(FILE *to, const struct html_box *box)
{
	char text[48];

	if (box->name) {
		put_text(to, box->name);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu32 " smaller", box->smaller);
	put_text(to, text);
}

static uint64_t number_of(const struct html_box *box, unsigned column)
{
	const uint64_t numbers[] = { box->parent, box->kind, box->blocks * 512, box->bytes,
				     box->files };

	return numbers[column];
}

static void put_boxes(FILE *to, const struct html_boxes *boxes)
{
	static const char *const columns[] = { "parent", "kind", "disk", "bytes", "files" };

	for (unsigned c = 0; c < sizeof(columns) / sizeof(*columns); c++) {
		fprintf(to, "\"%s\":[", columns[c]);
		for (size_t i = 0; i < boxes->count; i++)
			fprintf(to, "%s%" PRIu64, i ? "," : "", number_of(&boxes->all[i], c));
		fputs("],\n", to);
	}
	fputs("\"names\":[", to);
	for (size_t i = 0; i < boxes->count; i++) {
		if (i)
			putc(',', to);
		put_name(to, &boxes->all[i]);
	}
	fputs("],\n", to);
}

/* --- lists --- */

static void offer_file(struct scan_item item, enum scan_type type, void *context)
{
	if (type != SCAN_FILE || !item.file || !scan_is_charged(item.file))
		return;
	item.key = scan_file_blocks(item.file) * 512;
	scan_top_offer(context, item);
}

/* False, here and below: there is no memory. */
static bool put_largest(FILE *to, const struct scan *scan)
{
	struct scan_top top = { .most = LARGEST };

	scan_visit_all(scan, offer_file, &top);
	scan_top_sort(&top);
	fputs("\"largest\":[", to);
	for (size_t i = 0; i < top.count; i++) {
		char *path = scan_item_path(&top.items[i]);
		fputs(i ? ",[" : "[", to);
		put_text(to, path ? path : top.items[i].file->name);
		fprintf(to, ",%" PRIu64 "]", top.items[i].key);
		free(path);
	}
	fputs("],\n", to);
	bool is_whole = !top.is_lost;
	scan_top_free(&top);
	return is_whole;
}

/* Those that take the most space, then how many more there are, and their sums. */
static bool put_extensions(FILE *to, const struct scan *scan)
{
	struct extension rest = { .files = 0 };
	struct extensions table;
	size_t shown = 0;

	extensions_count(&table, scan, false);
	fputs("\"extensions\":[", to);
	for (; shown < table.count && shown < EXTENSIONS_MAX; shown++) {
		const struct extension *one = &table.all[shown];
		fputs(shown ? ",[" : "[", to);
		put_text(to, one->text);
		fprintf(to, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", one->files, one->blocks * 512,
			one->bytes);
	}
	for (size_t i = shown; i < table.count; i++) {
		rest.files += table.all[i].files;
		rest.blocks += table.all[i].blocks;
		rest.bytes += table.all[i].bytes;
	}
	fprintf(to, "],\n\"extensions_rest\":[%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "],\n",
		table.count - shown, rest.files, rest.blocks * 512, rest.bytes);
	bool is_whole = !table.is_lost;
	extensions_free(&table);
	return is_whole;
}

static void put_errors(FILE *to, const struct scan *scan)
{
	fputs("\"errors\":[", to);
	for (size_t i = 0; i < scan->errors.count && i < ERRORS_MAX; i++) {
		fputs(i ? ",[" : "[", to);
		put_text(to, scan->errors.all[i].path);
		putc(',', to);
		put_text(to, scan_error_reason(&scan->errors.all[i]));
		putc(']', to);
	}
	fputs("]\n", to);
}

static void put_total(FILE *to, const struct scan *scan)
{
	const struct scan_tally *total = &scan->total;

	fprintf(to, "\"is_partial\":%s,\n", scan->is_partial ? "true" : "false");
	fprintf(to, "\"total\":{\"directories\":%" PRIu64 ",\"files\":%" PRIu64, total->directories,
		total->files);
	fprintf(to, ",\"symlinks\":%" PRIu64 ",\"others\":%" PRIu64, total->symlinks,
		total->others);
	fprintf(to, ",\"errors\":%" PRIu64 ",\"disk\":%" PRIu64 ",\"bytes\":%" PRIu64 "},\n",
		total->errors, total->blocks * 512, total->bytes);
}

static bool put_data(FILE *to, const struct scan *scan, const struct html_boxes *boxes)
{
	bool is_several = scan->options.path_count > 1;

	fputs("{\"schema\":\"skua-scan-page-1\",\n\"path\":", to);
	put_text(to, is_several ? "several paths" : scan->roots[0]->name);
	fprintf(to, ",\n\"is_several\":%s,\n", is_several ? "true" : "false");
	put_total(to, scan);
	put_boxes(to, boxes);
	if (!put_largest(to, scan) || !put_extensions(to, scan))
		return false;
	put_errors(to, scan);
	fputs("}", to);
	return true;
}

static int write_page(const struct scan *scan, const struct html_boxes *boxes, const char *path)
{
	const char *page = (const char *)scan_page, *mark = strstr(page, data_mark);
	struct whole_file file;
	int error = whole_file_open(&file, path);

	if (error)
		return error;
	fwrite(page, 1, (size_t)(mark - page), file.to);
	bool has_memory = put_data(file.to, scan, boxes);
	fputs(mark + sizeof(data_mark) - 1, file.to);
	return whole_file_close(&file, has_memory ? 0 : ENOMEM);
}

static int print_html(struct scan *scan, const struct scan_choice *choice)
{
	struct html_boxes boxes;
	int error = ENOMEM;

	if (html_choose(scan, &boxes)) {
		error = write_page(scan, &boxes, choice->html_file);
		free(boxes.all);
	}
	if (!error)
		return STATUS_DONE;
	fprintf(stderr, "skua scan: --html: cannot write the page to ");
	scan_put_path(stderr, choice->html_file);
	fprintf(stderr, ": %s\n", strerror(error));
	return STATUS_FAULT;
}

const struct scan_report scan_report_html = {
	.name = "html",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.print = print_html,
};
