/* SPDX-License-Identifier: MIT */
/* list_errors.c — the report of what a scan could not read, and why */
#include "output.h"
#include "scan/scan_command.h"

static void error_json(struct json *json, const struct scan_error *error)
{
	static const char *const steps[] = { [SCAN_STEP_OPEN] = "open",
					     [SCAN_STEP_READ] = "read",
					     [SCAN_STEP_STAT] = "stat",
					     [SCAN_STEP_MEMORY] = "memory",
					     [SCAN_STEP_LOOP] = "loop" };

	json_object(json, NULL);
	json_name(json, "path", error->path);
	json_text(json, "step", steps[error->step]);
	json_count(json, "errno", (uint64_t)error->number);
	json_text(json, "reason", scan_error_reason(error));
	json_close(json);
}

static void error_text(const struct scan_error *error)
{
	out("  ");
	scan_put_path(stdout, error->path);
	out(": %s: %s\n", scan_error_step(error), scan_error_reason(error));
}

static int print_errors(struct scan *scan, const struct scan_choice *choice)
{
	const struct scan_errors *errors = &scan->errors;

	if (choice->json)
		json_array(choice->json, "error_list");
	for (size_t i = 0; i < errors->count && i < choice->limit; i++) {
		if (choice->json)
			error_json(choice->json, &errors->all[i]);
		else if (choice->is_null_ended)
			out("%s%c", errors->all[i].path, 0);
		else
			error_text(&errors->all[i]);
	}
	if (choice->json)
		json_close(choice->json);
	else if (!choice->is_null_ended && errors->count == 0)
		out("  none\n");
	return STATUS_DONE;
}

const struct scan_report scan_report_errors = {
	.name = "errors",
	.title = "Errors",
	.level = SCAN_TOTALS,
	.is_paths = true,
	.print = print_errors,
};
