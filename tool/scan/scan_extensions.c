/* SPDX-License-Identifier: MIT */
/* scan_extensions.c — the report of files by the end of their names: .c, .so, .jpg */
#include "output.h"
#include "scan/extension_table.h"
#include "scan/scan_top.h"

static void row_json(struct json *json, const struct extension *extension)
{
	json_object(json, NULL);
	json_name(json, "extension", extension->text[0] ? extension->text : NULL);
	json_count(json, "files", extension->files);
	json_count(json, "bytes_apparent", extension->bytes);
	json_count(json, "bytes_disk", extension->blocks * 512);
	json_close(json);
}

static void row_text(const struct scan_choice *choice, const struct extension *extension)
{
	uint64_t size = choice->is_apparent ? extension->bytes : extension->blocks * 512;

	out("  %10s  %13s file%s  %s%s\n", scan_bytes(size).s, scan_number(extension->files).s,
	    extension->files == 1 ? " " : "s", extension->text[0] ? "." : "(none)",
	    text_clean(extension->text, 0).s);
}

static int print_extensions(struct scan *scan, const struct scan_choice *choice)
{
	struct extensions table;

	extensions_count(&table, scan, choice->is_apparent);
	if (choice->json)
		json_array(choice->json, "extensions");
	for (size_t i = 0; i < table.count && i < choice->limit; i++) {
		if (choice->json)
			row_json(choice->json, &table.all[i]);
		else
			row_text(choice, &table.all[i]);
	}
	if (choice->json)
		json_close(choice->json);
	else if (table.count == 0)
		out("  none\n");
	int status = scan_top_status(&(struct scan_top){ .is_lost = table.is_lost }, "extensions");
	extensions_free(&table);
	return status;
}

const struct scan_report scan_report_extensions = {
	.name = "extensions",
	.title = "Files by the end of their names",
	.level = SCAN_EVERYTHING,
	.needs_sizes = true,
	.print = print_extensions,
};
