/* SPDX-License-Identifier: MIT */
/* html_write.c — `skua scan --html`: one page that needs no network and no other file */
#include "output.h"
#include "scan/html_page.h"
#include "scan/scan_top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST	   20 /* files that the page lists */
#define ERRORS_MAX 200

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
	if (type != SCAN_FILE || !item.file)
		return;
	item.key = scan_file_blocks(item.file) * 512;
	scan_top_offer(context, item);
}

static void put_largest(FILE *to, const struct scan *scan)
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
	scan_top_free(&top);
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

static void put_data(FILE *to, const struct scan *scan, const struct html_boxes *boxes)
{
	const struct scan_tally *total = &scan->total;
	char facts[6 * sizeof(struct text)];

	snprintf(facts, sizeof(facts),
		 "%s directories, %s files, %s symbolic links; %s on disk, %s apparent%s",
		 scan_number(total->directories).s, scan_number(total->files).s,
		 scan_number(total->symlinks).s, scan_bytes(total->blocks * 512).s,
		 scan_bytes(total->bytes).s,
		 scan->is_partial ? "; interrupted: this is not all" : "");
	fputs("{\"schema\":\"skua-scan-page-1\",\n\"path\":", to);
	put_text(to, scan->options.path_count == 1 ? scan->roots[0]->name : "several paths");
	fputs(",\n\"facts\":", to);
	put_text(to, facts);
	fputs(",\n", to);
	put_boxes(to, boxes);
	put_largest(to, scan);
	put_errors(to, scan);
	fputs("}", to);
}

/* Beside its name first: who reads the file sees the old page or the whole new one. */
static int write_page(const struct scan *scan, const struct html_boxes *boxes, const char *file)
{
	size_t room = strlen(file) + 32;
	char *beside = malloc(room);
	const char *page = (const char *)scan_page, *mark = strstr(page, data_mark);

	if (!beside)
		return ENOMEM;
	snprintf(beside, room, "%s.skua-%ld", file, (long)getpid());
	FILE *to = fopen(beside, "wxe");
	int error = to ? 0 : errno;
	if (to) {
		fwrite(page, 1, (size_t)(mark - page), to);
		put_data(to, scan, boxes);
		fputs(mark + sizeof(data_mark) - 1, to);
		bool is_written = !ferror(to);
		if (fclose(to) != 0 || !is_written)
			error = errno ? errno : EIO;
		else if (rename(beside, file) != 0)
			error = errno;
		if (error)
			unlink(beside);
	}
	free(beside);
	return error;
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
	fprintf(stderr, "skua scan: cannot write the page to %s: %s\n",
		text_clean(choice->html_file, 0).s, strerror(error));
	return STATUS_FAULT;
}

const struct scan_report scan_report_html = {
	.name = "html",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.print = print_html,
};
