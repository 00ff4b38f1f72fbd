/* SPDX-License-Identifier: MIT */
/* doctor_text.c — the doctor's report for people */
#include "doctor/doctor.h"
#include "output.h"
#include "report.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void show_cpus(const struct skua_machine *m)
{
	unsigned allowed = m->cpus_allowed;

	report_row("Model", "%s", m->cpu_model[0] ? text_clean(m->cpu_model, 0).s : "not told");
	report_row("System", "%s on %s, pages of %s", text_clean(m->kernel, 0).s,
		   text_clean(m->arch, 0).s, words_bytes(m->page_bytes).s);
	if (m->cpus_online)
		report_row("CPUs", "%u possible, %u online; this process may use %u: %s",
			   m->cpus_possible, m->cpus_online, allowed,
			   text_clean(m->cpus_allowed_list, 0).s);
	else
		report_row("CPUs", "this process may use %u: %s", allowed,
			   text_clean(m->cpus_allowed_list, 0).s);
	if (m->cores)
		report_row("Cores", "%u in %u package%s", m->cores, m->packages,
			   words_plural(m->packages));
	else
		report_row("Cores", "not known");
	if (m->cores && allowed > m->cores)
		report_row("SMT", "on: %u CPUs share %u core%s", allowed, m->cores,
			   words_plural(m->cores));
	else if (m->cores)
		report_row("SMT", "none in use: no two of these CPUs share a core");
	if (m->nodes)
		report_row("NUMA", "%u node%s", m->nodes, words_plural(m->nodes));
	else
		report_row("NUMA", "not known");
}

static void show_caches(const struct skua_machine *m)
{
	static const char *const kinds[] = {
		[SKUA_CACHE_UNIFIED] = "",
		[SKUA_CACHE_DATA] = " data",
		[SKUA_CACHE_INSTRUCTION] = " instruction",
	};

	if (!m->cache_count)
		report_row("Caches", "not known");
	for (unsigned i = 0; i < m->cache_count && i < SKUA_CACHES_MAX; i++) {
		const struct skua_cache *c = &m->caches[i];
		char shared[64] = "one for each CPU";

		if (c->shared_by > 1)
			snprintf(shared, sizeof(shared), "shared by %s%u CPUs",
				 c->count * c->shared_by > m->cpus_allowed ? "up to " : "",
				 c->shared_by);
		report_row(i ? "" : "Caches", "%u x %s L%u%s, %s", c->count,
			   words_bytes(c->size_bytes).s, c->level, kinds[c->kind], shared);
	}
}

static void show_limits(const struct skua_machine *m)
{
	static const char *const kinds[] = {
		[SKUA_CGROUP_NONE] = "none",
		[SKUA_CGROUP_V1] = "version 1",
		[SKUA_CGROUP_V2] = "version 2",
		[SKUA_CGROUP_HYBRID] = "hybrid, versions 1 and 2 at once",
	};

	if (m->cgroup == SKUA_CGROUP_NONE)
		report_row("cgroup", "none found");
	else
		report_row("cgroup", "%s; %u group folder%s looked at", kinds[m->cgroup],
			   m->cgroup_levels, words_plural(m->cgroup_levels));
	if (words_has_quota(m))
		report_row("CPU quota",
			   "%s, set by %s (%" PRIu64 " us of CPU time in every %" PRIu64 " us)",
			   words_quota(m).s, text_clean(m->quota_file, 0).s, m->quota_us,
			   m->quota_period_us);
	else if (m->unreadable & SKUA_PART_QUOTA)
		report_row("CPU quota", "not known, see below");
	else
		report_row("CPU quota", "none");
}

static void show_services(const struct skua_machine *m)
{
	report_row(
		"futex", "%s",
		m->has_futex
			? "yes: a worker without work sleeps and uses no CPU"
			: "no: skua needs it for sleeping workers; see whether a sandbox denies futex(2)");
	report_row("membarrier", "%s",
		   m->has_membarrier
			   ? "yes: one thread can fence all others at once"
			   : "no: the portable fence is used instead; as correct, a little slower");
}

static void show_workers(const struct skua_machine *m)
{
	const char *env = getenv("SKUA_WORKERS");

	report_row("Workers", "%u: %s", m->workers, words_why(m).s);
	if (m->workers_env_ignored)
		report_row("", "SKUA_WORKERS='%s' was ignored: expected a whole number, 1..%u",
			   env ? text_clean(env, 40).s : "", (unsigned)SKUA_WORKERS_MAX);
}

static void show_unreadable(const struct skua_machine *m)
{
	out("\n");
	report_title("Could not be read");
	for (const struct doctor_part *part = doctor_parts; part->name; part++) {
		const char *file = doctor_part_file(m, part);

		if (!(m->unreadable & (unsigned)part->part))
			continue;
		report_row(part->name, "%s%s%s", part->what, file ? ": " : "",
			   file ? text_clean(file, 0).s : "");
		report_row("", "so: %s", part->consequence);
		report_row("", "try: %s", part->remedy);
	}
}

void doctor_text(const struct skua_machine *m, const struct skua_cpus *cpus, const char *root)
{
	report_title("Machine");
	if (root)
		report_row("Root",
			   "%s (system, page size, futex and membarrier are this machine's own)",
			   text_clean(root, 0).s);
	show_cpus(m);
	show_caches(m);
	out("\n");
	doctor_tree(cpus);
	out("\n");
	report_title("Limits");
	show_limits(m);
	out("\n");
	report_title("What skua makes of it");
	show_services(m);
	show_workers(m);
	if (m->unreadable)
		show_unreadable(m);
}
