/* SPDX-License-Identifier: MIT */
/* fuzz_machine.c — the whole reader over a small fake root whose files are made of the input */
#include <skua/skua.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * The input is cut at bytes 0xff into the texts of the files below, in that order; files beyond its
 * end are removed.  An input piece that starts with 0xfe becomes a symbolic link to the rest of it,
 * 0xfd a folder, 0xfc a pipe.
 */
#define PROMISE(claim) ((claim) ? (void)0 : abort())

static const char *const files[] = {
	"proc/self/cgroup",
	"proc/self/mountinfo",
	"cg/job/cpu.max",
	"cg/cpu.max",
	"cg/job/cpu.cfs_quota_us",
	"cg/job/cpu.cfs_period_us",
	"proc/self/status",
	"sys/devices/system/cpu/online",
	"sys/devices/system/cpu/possible",
	"sys/devices/system/cpu/cpu0/topology/core_cpus_list",
	"sys/devices/system/cpu/cpu1/topology/core_cpus_list",
	"sys/devices/system/cpu/cpu0/cache/index0/level",
	"sys/devices/system/cpu/cpu0/cache/index0/type",
	"sys/devices/system/cpu/cpu0/cache/index0/size",
	"sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list",
	"sys/devices/system/node/online",
	"sys/devices/system/node/node0/cpulist",
	"proc/cpuinfo",
	"sys/devices/system/node/node1/cpulist",
	"sys/devices/system/node/node0/distance",
	"sys/devices/system/cpu/cpu0/cpu_capacity",
};

static char root[256];

/* The scratch folder: of this process, below $TMPDIR or /tmp, removed at the end. */
static void remove_root(void)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	PROMISE(system(command) == 0);
}

static void make_root(void)
{
	const char *above = getenv("TMPDIR");
	char path[512];

	snprintf(root, sizeof(root), "%s/skua-fuzz-XXXXXX", above ? above : "/tmp");
	PROMISE(mkdtemp(root));
	atexit(remove_root);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, files[i]);
		for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
			*slash = '\0';
			PROMISE(mkdir(path, 0700) == 0 || errno == EEXIST);
			*slash = '/';
		}
	}
}

static void put(const char *file, const uint8_t *bytes, size_t count)
{
	char path[512], target[64] = { 0 };

	snprintf(path, sizeof(path), "%s/%s", root, file);
	if (unlink(path) != 0 && errno != ENOENT)
		PROMISE(rmdir(path) == 0);
	if (!bytes)
		return;
	if (count > 1 && bytes[0] == 0xfe) {
		memcpy(target, bytes + 1,
		       count - 1 < sizeof(target) - 1 ? count - 1 : sizeof(target) - 1);
		if (symlink(target, path) == 0)
			return;
	}
	if (count && bytes[0] == 0xfd) {
		PROMISE(mkdir(path, 0700) == 0);
		return;
	}
	if (count && bytes[0] == 0xfc) {
		PROMISE(mkfifo(path, 0600) == 0);
		return;
	}
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	PROMISE(fd >= 0);
	PROMISE(write(fd, bytes, count) == (ssize_t)count);
	close(fd);
}

static void check(const struct skua_machine *m)
{
	PROMISE(m->cpus_allowed >= 1 && m->cpus_allowed <= m->cpus_online);
	PROMISE(m->workers >= 1 && m->workers <= SKUA_WORKERS_MAX && m->workers <= m->cpus_allowed);
	PROMISE((m->quota_us == 0) == (m->quota_period_us == 0));
	PROMISE(m->cores <= m->cpus_allowed && m->packages <= m->cpus_allowed);
	PROMISE(m->nodes <= m->cpus_allowed);
	PROMISE(m->cgroup_levels <= 128);
	PROMISE(m->cache_count <= SKUA_CACHES_MAX);
	PROMISE(memchr(m->quota_file, '\0', sizeof(m->quota_file)));
	PROMISE(memchr(m->cpus_allowed_list, '\0', sizeof(m->cpus_allowed_list)));
	PROMISE(memchr(m->cpu_model, '\0', sizeof(m->cpu_model)));
	for (unsigned i = 0; i < m->cache_count; i++)
		PROMISE(m->caches[i].shared_by <= m->cpus_allowed);
	if (m->quota_us || (m->unreadable & SKUA_PART_QUOTA))
		PROMISE(m->quota_file[0] != '\0');
	else
		PROMISE(m->quota_file[0] == '\0');
	if (m->workers < m->cpus_allowed)
		PROMISE(m->workers_reason != SKUA_WORKERS_FROM_CPUS);
}

/* The same machine, CPU by CPU. */
static void check_cpus(const struct skua_machine *m, const struct skua_machine_options *options)
{
	static struct skua_cpu cpu[16];
	struct skua_cpus cpus = {
		.size = sizeof(cpus), .cpu_size = sizeof(cpu[0]), .cpus = cpu, .room = 16
	};

	PROMISE(skua_machine_cpus(&cpus, options) == SKUA_OK);
	PROMISE(cpus.count == m->cpus_allowed);
	for (size_t i = 0; i < cpus.count && i < 16; i++) {
		PROMISE(!i || cpu[i].cpu > cpu[i - 1].cpu);
		PROMISE(cpu[i].core >= -1 && cpu[i].core < (int)m->cores);
		PROMISE(cpu[i].package >= -1 && cpu[i].package < (int)m->packages);
		PROMISE(cpu[i].node == -1 || m->nodes);
		PROMISE((cpu[i].cache == -1) == (cpu[i].cache_level == 0));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct skua_machine machine = { .size = sizeof(machine) };
	struct skua_machine_options options = { .size = sizeof(options), .root = root };
	size_t at = 0;

	if (!root[0])
		make_root();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const uint8_t *end = at < size ? memchr(data + at, 0xff, size - at) : NULL;
		size_t count = end ? (size_t)(end - data) - at : size - at;
		put(files[i], at < size ? data + at : NULL, count);
		at = end ? at + count + 1 : size;
	}
	errno = 77;
	PROMISE(skua_machine_read(&machine, &options) == SKUA_OK);
	check(&machine);
	check_cpus(&machine, &options);
	PROMISE(errno == 77);
	return 0;
}
