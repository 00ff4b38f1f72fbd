/* SPDX-License-Identifier: MIT */
/* doctor_json.c — the doctor's report as JSON; every field is documented in docs/json.md */
#include "doctor/doctor.h"
#include "json.h"
#include "words.h"

#include <stdlib.h>

static void write_cpus(struct json *json, const struct skua_machine *machine)
{
	const char *model = machine->cpu_model;

	json_text(json, "cpu_model", model[0] ? model : NULL);
	json_object(json, "cpus");
	json_known(json, "possible", machine->cpus_possible);
	json_known(json, "online", machine->cpus_online);
	json_count(json, "allowed", machine->cpus_allowed);
	json_text(json, "allowed_list", machine->cpus_allowed_list);
	json_close(json);
	json_known(json, "cores", machine->cores);
	json_known(json, "packages", machine->packages);
	if (machine->cores)
		json_yes(json, "smt", machine->cpus_allowed > machine->cores);
	else
		json_null(json, "smt");
	json_known(json, "numa_nodes", machine->nodes);
}

static void write_caches(struct json *json, const struct skua_machine *machine)
{
	static const char *const kinds[] = {
		[SKUA_CACHE_UNIFIED] = "unified",
		[SKUA_CACHE_DATA] = "data",
		[SKUA_CACHE_INSTRUCTION] = "instruction",
	};

	json_array(json, "caches");
	for (unsigned i = 0; i < machine->cache_count && i < SKUA_CACHES_MAX; i++) {
		const struct skua_cache *cache = &machine->caches[i];

		json_object(json, NULL);
		json_count(json, "level", cache->level);
		json_text(json, "kind", kinds[cache->kind]);
		json_known(json, "size_bytes", cache->size_bytes);
		json_known(json, "line_bytes", cache->line_bytes);
		json_count(json, "count", cache->count);
		json_count(json, "shared_by", cache->shared_by);
		json_close(json);
	}
	json_close(json);
}

/* -1, as the library says it, becomes null. */
static void write_place(struct json *json, const char *key, int number)
{
	if (number < 0)
		json_null(json, key);
	else
		json_count(json, key, (uint64_t)number);
}

static void write_topology(struct json *json, const struct skua_cpus *cpus)
{
	if (!cpus->cpus) {
		json_null(json, "topology");
		return;
	}
	json_object(json, "topology");
	json_array(json, "cpus");
	for (size_t i = 0; i < doctor_cpus(cpus); i++) {
		const struct skua_cpu *cpu = &cpus->cpus[i];

		json_object(json, NULL);
		json_count(json, "cpu", cpu->cpu);
		write_place(json, "core", cpu->core);
		write_place(json, "cache", cpu->cache);
		json_known(json, "cache_level", cpu->cache_level);
		write_place(json, "node", cpu->node);
		write_place(json, "package", cpu->package);
		json_known(json, "capacity", cpu->capacity);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void write_cgroup(struct json *json, const struct skua_machine *machine)
{
	static const char *const kinds[] = {
		[SKUA_CGROUP_NONE] = "none",
		[SKUA_CGROUP_V1] = "v1",
		[SKUA_CGROUP_V2] = "v2",
		[SKUA_CGROUP_HYBRID] = "hybrid",
	};

	json_object(json, "cgroup");
	json_text(json, "kind", kinds[machine->cgroup]);
	json_count(json, "levels", machine->cgroup_levels);
	if (words_has_quota(machine)) {
		json_object(json, "quota");
		json_count(json, "quota_us", machine->quota_us);
		json_count(json, "period_us", machine->quota_period_us);
		json_real(json, "cpus", words_quota_cpus(machine));
		json_text(json, "file", machine->quota_file);
		json_close(json);
	} else {
		json_null(json, "quota");
	}
	json_close(json);
}

static void write_workers(struct json *json, const struct skua_machine *machine)
{
	static const char *const reasons[] = {
		[SKUA_WORKERS_FROM_CPUS] = "cpus",
		[SKUA_WORKERS_FROM_QUOTA] = "quota",
		[SKUA_WORKERS_FROM_ENV] = "env",
		[SKUA_WORKERS_FROM_LIMIT] = "limit",
	};

	json_object(json, "workers");
	json_count(json, "count", machine->workers);
	json_text(json, "reason", reasons[machine->workers_reason]);
	json_count(json, "most", SKUA_WORKERS_MAX);
	json_text(json, "env", getenv("SKUA_WORKERS"));
	json_yes(json, "env_ignored", machine->workers_env_ignored);
	json_close(json);
}

static void write_unreadable(struct json *json, const struct skua_machine *machine)
{
	json_array(json, "unreadable");
	for (const struct doctor_part *part = doctor_parts; part->name; part++) {
		if (!(machine->unreadable & (unsigned)part->part))
			continue;
		json_object(json, NULL);
		json_text(json, "part", part->name);
		json_text(json, "file", doctor_part_file(machine, part));
		json_text(json, "consequence", part->consequence);
		json_text(json, "remedy", part->remedy);
		json_close(json);
	}
	json_close(json);
}

void doctor_json(const struct skua_machine *machine, const struct skua_cpus *cpus, const char *root)
{
	struct json json = { 0 };

	json_object(&json, NULL);
	json_text(&json, "schema", "skua-doctor-1");
	json_text(&json, "skua_version", skua_version_text());
	json_text(&json, "root", root);
	write_cpus(&json, machine);
	write_caches(&json, machine);
	write_topology(&json, cpus);
	write_cgroup(&json, machine);
	json_object(&json, "kernel");
	json_text(&json, "name", machine->kernel);
	json_text(&json, "arch", machine->arch);
	json_count(&json, "page_bytes", machine->page_bytes);
	json_yes(&json, "futex", machine->has_futex);
	json_yes(&json, "membarrier", machine->has_membarrier);
	json_close(&json);
	write_workers(&json, machine);
	write_unreadable(&json, machine);
	json_close(&json);
}
