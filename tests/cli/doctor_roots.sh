#!/bin/sh
# doctor_roots.sh — quotas, nesting, offline and many CPUs, hostile files: the exact worker count
. "$SKUA_SOURCE/tests/cli/lib"
need_python
need_roots

# ROOT STATUS WORKERS REASON CGROUP QUOTA-IN-CPUS
check() {
	run "$SKUA" doctor --json --root "$roots/$1"
	expect_status "$2"
	expect_json workers.count "$3" workers.reason "$4" cgroup.kind "$5"
	if [ "$6" = none ]; then
		expect_json cgroup.quota null
	else
		expect_json cgroup.quota.cpus "$6"
	fi
	run "$SKUA" doctor --root "$roots/$1"
	expect_status "$2"
	expect_silent_err
	expect_out "  Workers     $3: "
}

check v1_1500m 0 2 quota v1 1.5
expect_out '1.50 CPUs, set by'
expect_out 'cpu.cfs_quota_us'
expect_out 'the cgroup quota of 1.50 CPUs is less than the 8 allowed CPUs'
check v2_1500m 0 2 quota v2 1.5
expect_out '1.50 CPUs, set by'
expect_out 'job/cpu.max'
check hybrid_1500m 0 2 quota hybrid 1.5
expect_out 'cpu.cfs_quota_us'

# The tightest of nested groups counts, and its file is named.
check v2_nested 0 2 quota v2 1.5
expect_out 'slice/cpu.max'
check v1_nested 0 2 quota v1 1.5
expect_out 'slice/cpu.cfs_quota_us'

check v2_max 0 8 cpus v2 none
expect_out 'one for each of the 8 CPUs'
expect_out 'none in use: no two of these CPUs share a core'
check v2_zero 0 8 cpus v2 none
check v2_whole 0 1 quota v2 1
expect_out 'the cgroup quota of 1.00 CPUs is less than the 8 allowed CPUs'
refuse_out 'rounded up'
check v2_sliver 0 1 quota v2 0.005
expect_out 'less than 0.01 CPUs, set by'
expect_out 'rounded up'

# A group that cannot be looked at may have a quota: told, and named.
for root in v2_hidden v2_unmounted; do
	check $root 1 8 cpus "$(case $root in v2_hidden) echo v2 ;; *) echo none ;; esac)" none
	expect_out '  CPU quota   not known'
	expect_out '  quota       a cgroup CPU quota: /proc/self/cgroup'
	expect_out 'try: see whether your cgroup is mounted'
done

# What cannot be read is named, with the consequence and what to try.
for root in v2_garbage v2_loop v2_unreadable v2_fifo; do
	check $root 1 8 cpus v2 none
	expect_out '  CPU quota   not known'
	expect_out 'Could not be read'
	expect_out '  quota       a cgroup CPU quota'
	expect_out 'job/cpu.max'
	expect_out 'so: no quota was assumed there'
	expect_out 'try: '
done

# A quota above a group whose own cannot be read still counts; its file is not the one at fault.
cp -R "$roots/v2_nested" "$work/both" || exit 3
rm "$work/both/sys/fs/cgroup/slice/job/cpu.max"
mkdir "$work/both/sys/fs/cgroup/slice/job/cpu.max"
run "$SKUA" doctor --json --root "$work/both"
expect_status 1
expect_json workers.count 2 workers.reason quota unreadable.0.part quota unreadable.0.file null
expect_err 'could not read a cgroup CPU quota: '

run "$SKUA" doctor --root "$roots/no_proc"
expect_status 1
for part in affinity cpus cores; do
	expect "the part is named: $part" grep -qE "^  $part  " "$out"
done
run "$SKUA" doctor --json --root "$roots/no_proc"
expect_status 1
expect_json workers.count 1

run "$SKUA" doctor --json --root "$roots/offline"
expect_status 0
expect_json cpus.possible 4 cpus.online 2 cpus.allowed 2 workers.count 2

run "$SKUA" doctor --json --root "$roots/numa"
expect_status 0
expect_json numa_nodes 2 packages 2 cores 4 smt true workers.count 8
run "$SKUA" doctor --root "$roots/numa"
expect_out '2 x 24 MiB L3, shared by 4 CPUs'

# Caches that are not shared by as many CPUs each, and of a size that is no whole number.
run "$SKUA" doctor --root "$roots/uneven"
expect_status 0
expect_out '8 x 1.5 MiB L2, one for each CPU'
expect_out '3 x 16 MiB L3, shared by up to 4 CPUs'

run "$SKUA" doctor --json --root "$roots/big"
expect "big: no crash, a report" [ "$status" -le 1 ]
expect_json cpus.allowed 2048 workers.count 1024 workers.reason limit
run "$SKUA" doctor --root "$roots/big"
expect_out 'this process may run on 2048 CPUs, but 1024 workers are the'
