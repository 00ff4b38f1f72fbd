/* SPDX-License-Identifier: MIT */
/* past.c — an earlier run, read from what `skua bench --json` wrote */
#include "bench/past.h"

#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_BYTES_MAX ((size_t)64 << 20) /* arbitrary: a run of everything has some 100 kB */
#define SCHEMA	       "skua-bench-1"

/* A file as it was read. */
struct content {
	const char *file;
	char *bytes;
	size_t size;
};

static bool complain(const struct content *content, const char *why)
{
	fprintf(stderr,
		"skua bench: cannot read %s: %s\n"
		"    it should be what 'skua bench --json >FILE' wrote\n",
		text_clean(content->file, 200).s, why);
	return false;
}

static bool complain_at(const struct content *content, size_t at, const char *why)
{
	struct json_place place = json_place(content->bytes, content->size, at);

	fprintf(stderr,
		"skua bench: %s:%u:%u: %s\n"
		"    it should be what 'skua bench --json >FILE' wrote; write it again\n",
		text_clean(content->file, 200).s, place.line, place.column, why);
	return false;
}

/* All of it, however long: what may be a pipe has no size before its end. */
static bool read_all(FILE *file, struct content *content)
{
	for (size_t room = 0;;) {
		if (content->size == room) {
			room = room ? 2 * room : 65536;
			if (room > FILE_BYTES_MAX)
				return complain(content, "it has 64 MB or more");
			char *more = realloc(content->bytes, room);
			if (!more)
				return complain(content, "not enough memory");
			content->bytes = more;
		}
		size_t count = fread(content->bytes + content->size, 1, room - content->size, file);
		content->size += count;
		if (!count)
			break;
	}
	return ferror(file) ? complain(content, strerror(errno)) : true;
}

static bool read_content(struct content *content)
{
	FILE *file = fopen(content->file, "re");

	if (!file)
		return complain(content, strerror(errno));
	bool is_read = read_all(file, content);
	fclose(file);
	return is_read;
}

/* The value of a key, if it is there and of that kind; else NULL. */
static const struct json_node *find_kind(const struct json_node *object, const char *key,
					 enum json_kind kind)
{
	const struct json_node *node = json_find(object, key);

	return node && node->kind == kind ? node : NULL;
}

static double number_of(const struct json_node *object, const char *key)
{
	const struct json_node *node = find_kind(object, key, JSON_NUMBER);

	return node ? node->number : 0;
}

static const char *text_of(const struct json_node *object, const char *key)
{
	const struct json_node *node = find_kind(object, key, JSON_TEXT);

	return node ? node->text : NULL;
}

static bool read_samples(const struct content *content, const struct json_node *kernel,
			 struct sample *sample)
{
	const struct json_node *samples = json_find(kernel, "samples_s");

	if (!samples)
		return true;
	if (samples->kind != JSON_ARRAY)
		return complain_at(content, samples->at, "samples_s is no array");
	if (samples->count > SAMPLES_MAX)
		return complain_at(content, samples->at, "samples_s has more than 1000 values");
	for (const struct json_node *value = samples->first; value; value = value->next) {
		if (value->kind != JSON_NUMBER)
			return complain_at(content, value->at, "this is no number of seconds");
		sample_add(sample, value->number);
	}
	return true;
}

static bool read_row(const struct content *content, const struct json_node *kernel,
		     struct past_row *row)
{
	const struct json_node *check = json_find(kernel, "check");
	double workers = number_of(kernel, "workers");

	row->name = text_of(kernel, "name");
	row->problem = text_of(kernel, "problem");
	if (!row->name)
		return complain_at(content, kernel->at, "this kernel has no name");
	if (!(workers >= 1 && workers <= 1e6))
		return complain_at(content, kernel->at, "this kernel has no number of workers");
	if (!find_kind(kernel, "seconds", JSON_NUMBER))
		return complain_at(content, kernel->at, "this kernel has no seconds");
	row->workers = (unsigned)workers;
	row->check = !check || check->kind != JSON_YES || check->yes;
	row->seconds = number_of(kernel, "seconds");
	row->serial = number_of(kernel, "serial_s");
	return read_samples(content, kernel, &row->own);
}

static bool read_rows(const struct content *content, struct past *past)
{
	const struct json_node *root = past->tree.root;
	const struct json_node *kernels = find_kind(root, "kernels", JSON_ARRAY);
	const char *schema = text_of(root, "schema");

	if (!schema || strcmp(schema, SCHEMA) != 0)
		return complain_at(content, root->at, "its schema is not " SCHEMA);
	if (!kernels)
		return complain_at(content, root->at, "it has no array of kernels");
	if (kernels->count > PAST_ROWS_MAX)
		return complain_at(content, kernels->at, "it has more than 4096 kernels");
	past->version = text_of(root, "skua_version");
	past->rows = calloc(kernels->count + 1, sizeof(*past->rows));
	if (!past->rows)
		return complain(content, "not enough memory");
	for (const struct json_node *kernel = kernels->first; kernel; kernel = kernel->next) {
		if (!read_row(content, kernel, &past->rows[past->count]))
			return false;
		past->count++;
	}
	return true;
}

bool past_read(struct past *past, const char *file)
{
	struct content content = { .file = file };
	struct json_fault fault;
	bool is_read = false;

	*past = (struct past){ .file = file };
	if (read_content(&content)) {
		is_read = json_tree_read(&past->tree, content.bytes, content.size, &fault);
		if (!is_read)
			complain_at(&content, fault.at, fault.what);
		else
			is_read = read_rows(&content, past);
	}
	free(content.bytes);
	if (!is_read)
		past_drop(past);
	return is_read;
}

void past_drop(struct past *past)
{
	json_tree_drop(&past->tree);
	free(past->rows);
	*past = (struct past){ 0 };
}
