/* SPDX-License-Identifier: MIT */
/* scan_dupes.c — the report of files with the same contents, and what is done about them */
#include "output.h"
#include "scan/dupes.h"
#include "scan/scan_command.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

static uint64_t gain_of(const struct dupes *dupes)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < dupes->group_count; i++)
		bytes += dupes->groups[i].bytes * (dupes->groups[i].count - 1);
	return bytes;
}

static uint64_t extra_files(const struct dupes *dupes)
{
	uint64_t files = 0;

	for (size_t i = 0; i < dupes->group_count; i++)
		files += dupes->groups[i].count - 1;
	return files;
}

/* One name of a file; `is_same_file`: another name of the one above, which takes no space. */
static void put_one(const struct dupe *dupe, const struct scan_choice *choice, bool is_same_file)
{
	char *path = dupe_path(dupe);

	if (!path)
		return;
	if (choice->json) {
		json_object(choice->json, NULL);
		json_name(choice->json, "path", path);
		json_yes(choice->json, "is_link_of_previous", is_same_file);
		json_close(choice->json);
	} else if (choice->is_null_ended) {
		out_bytes(path, strlen(path) + 1);
	} else {
		out(is_same_file ? "    = " : "    ");
		scan_put_path(stdout, path);
		out("\n");
	}
	free(path);
}

static void put_group(const struct dupes *dupes, const struct dupe_group *group,
		      const struct scan_choice *choice)
{
	if (choice->json) {
		json_object(choice->json, NULL);
		json_count(choice->json, "bytes_each", group->bytes);
		json_count(choice->json, "count", group->count);
		json_array(choice->json, "files");
	} else if (!choice->is_null_ended) {
		out("  %zu files of %s\n", group->count, scan_bytes(group->bytes).s);
	}
	for (size_t i = 0; i < group->count; i++) {
		const struct dupe *first = &dupes->all[group->first + i];
		for (const struct dupe *name = first; name; name = name->other_name)
			put_one(name, choice, name != first);
	}
	if (choice->json) {
		json_close(choice->json);
		json_close(choice->json);
	} else if (choice->is_null_ended) {
		out_bytes("", 1); /* an empty path ends a group */
	}
}

static void put_sums(const struct dupes *dupes, const struct scan_choice *choice)
{
	uint64_t read = atomic_load_explicit(&dupes->bytes_read, memory_order_relaxed),
		 lost = atomic_load_explicit(&dupes->files_lost, memory_order_relaxed);

	if (choice->json) {
		json_object(choice->json, "duplicates");
		json_count(choice->json, "groups", dupes->group_count);
		json_count(choice->json, "extra_files", extra_files(dupes));
		json_count(choice->json, "extra_bytes", gain_of(dupes));
		json_count(choice->json, "read_bytes", read);
		json_count(choice->json, "lost_files", lost);
		json_yes(choice->json, "compared", dupes->is_compared);
		json_array(choice->json, "list");
	} else if (!choice->is_null_ended) {
		out("  %s more than needed in %s group%s, %s; %s read%s\n",
		    scan_number(extra_files(dupes)).s, scan_number(dupes->group_count).s,
		    words_plural(dupes->group_count), scan_bytes(gain_of(dupes)).s,
		    scan_bytes(read).s,
		    dupes->is_compared ? ", every byte compared" : "; equal by a hash of 128 bits");
		if (lost)
			out("  %s could not be read, or changed meanwhile: left out\n",
			    scan_number(lost).s);
	}
}

/* Nothing is changed without --apply; what would be is told. */
static int act(struct dupes *dupes, const struct scan_choice *choice)
{
	enum dupe_action action = choice->is_hardlinking ? DUPE_HARDLINK
				  : choice->is_deduping	 ? DUPE_DEDUPE
							 : DUPE_REPORT;
	struct dupe_deed deed;

	if (action == DUPE_REPORT)
		return STATUS_DONE;
	dupes_act(dupes, action, !choice->is_applying, &deed);
	if (choice->json) {
		json_object(choice->json, "action");
		json_text(choice->json, "name", action == DUPE_HARDLINK ? "hardlink" : "dedupe");
		json_yes(choice->json, "applied", choice->is_applying);
		json_count(choice->json, "files", deed.files);
		json_count(choice->json, "saved_bytes", deed.bytes);
		json_count(choice->json, "failed", deed.failed);
		json_close(choice->json);
	} else if (!choice->is_null_ended) {
		out("  %s%s file%s %s, %s saved%s\n",
		    choice->is_applying ? "" : "would have: ", scan_number(deed.files).s,
		    words_plural(deed.files),
		    action == DUPE_HARDLINK ? "made links" : "made to share their blocks",
		    scan_bytes(deed.bytes).s, choice->is_applying ? "" : "; add --apply to do it");
	}
	return deed.failed ? STATUS_PARTLY : STATUS_DONE;
}

/* What was read until then says nothing: equal so far is not equal. */
static int tell_interrupted(const struct scan_choice *choice)
{
	if (choice->json)
		json_null(choice->json, "duplicates");
	else if (!choice->is_null_ended)
		out("  interrupted: not looked for\n");
	return SCAN_STATUS_INTERRUPTED;
}

static int report_found(struct dupes *dupes, const struct scan_choice *choice)
{
	put_sums(dupes, choice);
	for (size_t i = 0; i < dupes->group_count && i < choice->limit; i++)
		put_group(dupes, &dupes->groups[i], choice);
	if (choice->json)
		json_close(choice->json);
	int status = act(dupes, choice);
	if (choice->json)
		json_close(choice->json);
	return status;
}

static int print_duplicates(struct scan *scan, const struct scan_choice *choice)
{
	struct dupes dupes = { .scan = scan };
	struct scan_signals signals;

	if (dupes_why_not()) {
		fprintf(stderr, "skua scan: --duplicates is not to be had: %s\n", dupes_why_not());
		return STATUS_FAULT;
	}
	if (scan->is_read) {
		fprintf(stderr, "skua scan: --duplicates must read the files, which a saved scan "
				"has not; name the directory itself\n");
		return STATUS_USAGE;
	}
	if (scan->is_partial)
		return tell_interrupted(choice);
	scan_catch_signals(scan, &signals);
	int error = scan_find_shown(&dupes, choice->is_verifying);
	int status = error ? STATUS_FAULT : report_found(&dupes, choice);
	dupes_free(&dupes);
	bool is_interrupted = scan_release_signals(&signals);
	if (error == SKUA_ECANCELED)
		return tell_interrupted(choice);
	if (error)
		fprintf(stderr, "skua scan: not enough memory to look for duplicates\n");
	return is_interrupted ? SCAN_STATUS_INTERRUPTED : status;
}

const struct scan_report scan_report_duplicates = {
	.name = "duplicates",
	.title = "Files with the same contents",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.is_paths = true,
	.print = print_duplicates,
};
