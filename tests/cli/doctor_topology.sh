#!/bin/sh
# doctor_topology.sh — the tree of packages, nodes, caches and cores, and the same as JSON
. "$SKUA_SOURCE/tests/cli/lib"
need_python
need_roots

# Fake machines of this test, with only the files that are asked for.
# ROOT ALLOWED: nothing but CPUs
machine() {
	root=$work/$1 system=$work/$1/sys/devices/system
	mkdir -p "$root/proc/self" "$system/cpu"
	echo "$2" >"$system/cpu/possible"
	echo "$2" >"$system/cpu/online"
	printf 'Cpus_allowed_list:\t%s\n' "$2" >"$root/proc/self/status"
	echo '0::/' >"$root/proc/self/cgroup"
	echo '22 1 0:20 / /proc rw - proc proc rw' >"$root/proc/self/mountinfo"
}

core() { # CPU LIST
	mkdir -p "$system/cpu/cpu$1/topology"
	echo "$2" >"$system/cpu/cpu$1/topology/core_cpus_list"
}

package() { # CPU LIST
	mkdir -p "$system/cpu/cpu$1/topology"
	echo "$2" >"$system/cpu/cpu$1/topology/package_cpus_list"
}

cache() { # CPU LEVEL LIST
	mkdir -p "$system/cpu/cpu$1/cache/index0"
	echo "$2" >"$system/cpu/cpu$1/cache/index0/level"
	echo Unified >"$system/cpu/cpu$1/cache/index0/type"
	echo "$3" >"$system/cpu/cpu$1/cache/index0/shared_cpu_list"
}

node() { # NODE LIST
	mkdir -p "$system/node/node$1"
	echo "$2" >"$system/node/node$1/cpulist"
}

# The tree must be exactly what comes on standard input.
expect_tree() {
	cat >"$work/wanted"
	sed -n '/^Topology$/,/^$/{/^Topology$/d;/^$/d;p;}' "$out" >"$work/found"
	expect "expected the tree: $(cat "$work/wanted")" cmp -s "$work/wanted" "$work/found"
}

tree() { # ROOT
	run "$SKUA" doctor --root "$1"
	expect_silent_err
	expect_tree
}

tree "$roots/numa" <<-END
	  machine, 8 CPUs: 0-7
	  ├─ package = node 0 = L3 cache, 4 CPUs: 0-1,4-5
	  │  └─ core x 2, 2 CPUs each: 0,4 1,5
	  └─ package = node 1 = L3 cache, 4 CPUs: 2-3,6-7
	     └─ core x 2, 2 CPUs each: 2,6 3,7
END
run env LC_ALL=C "$SKUA" doctor --root "$roots/numa"
expect_tree <<-END
	  machine, 8 CPUs: 0-7
	  |- package = node 0 = L3 cache, 4 CPUs: 0-1,4-5
	  |  \`- core x 2, 2 CPUs each: 0,4 1,5
	  \`- package = node 1 = L3 cache, 4 CPUs: 2-3,6-7
	     \`- core x 2, 2 CPUs each: 2,6 3,7
END
run "$SKUA" doctor --json --root "$roots/numa"
expect_status 0
expect_json topology.cpus.6.cpu 6 topology.cpus.6.core 2 topology.cpus.6.cache 1
expect_json topology.cpus.6.cache_level 3 topology.cpus.6.node 1 topology.cpus.6.package 1
expect_json topology.cpus.6.capacity null topology.cpus.7.cpu 7

tree "$roots/leftover" <<-END
	  machine = package = node 0, 8 CPUs: 0-7
	  ├─ L3 cache, 3 CPUs: 0-2
	  │  └─ core x 3, 1 CPU each: 0 1 2
	  ├─ L3 cache, 3 CPUs: 3-5
	  │  └─ core x 3, 1 CPU each: 3 4 5
	  └─ L2 cache = core x 2, 1 CPU each: 6 7
END
tree "$roots/big" <<-END
	  machine = node 0, 2048 CPUs: 0-2047
	  └─ package x 64, 32 CPUs each: 0-2047
	     └─ core x 16, 2 CPUs each
END
tree "$roots/no_proc" <<-END
	  machine, 1 CPU: 0
END

# Some CPUs of a machine only: 1 and 5 are one core.
cp -R "$roots/numa" "$work/holes" || exit 3
printf 'Cpus_allowed_list:\t1,3,5\n' >"$work/holes/proc/self/status"
tree "$work/holes" <<-END
	  machine, 3 CPUs: 1,3,5
	  ├─ package = node 0 = L3 cache = core, 2 CPUs: 1,5
	  └─ package = node 1 = L3 cache = core, 1 CPU: 3
END

machine ccx 0-15
package 0 0-15
node 0 0-15
echo 0 >"$system/node/online"
for cpu in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	core $cpu $cpu
	first=$((cpu / 4 * 4))
	cache $cpu 3 $first-$((first + 3))
done
tree "$work/ccx" <<-END
	  machine = package = node 0, 16 CPUs: 0-15
	  └─ L3 cache x 4, 4 CPUs each: 0-3 4-7 8-11 12-15
	     └─ core x 4, 1 CPU each
END

# Big and little, told apart by their capacity; the numbers of CPUs take turns.
machine biglittle 0-7
package 0 0-7
for cpu in 0 1 2 3 4 5 6 7; do
	core $cpu $cpu
	cache $cpu 3 0-7
	echo $((cpu % 2 ? 1024 : 446)) >"$system/cpu/cpu$cpu/cpu_capacity"
done
tree "$work/biglittle" <<-END
	  machine = package = L3 cache, 8 CPUs: 0-7
	  ├─ core x 4, 1 CPU each, capacity 446: 0 2 4 6
	  └─ core x 4, 1 CPU each, capacity 1024: 1 3 5 7
END
run "$SKUA" doctor --json --root "$work/biglittle"
expect_json topology.cpus.0.capacity 446 topology.cpus.1.capacity 1024 topology.cpus.0.node null

# Alike is what has the same things in it: not CPUs 8 to 11.
machine shapes 0-15
package 0 0-15
for cpu in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	case $cpu in
	8 | 9 | 10 | 11) core $cpu $((cpu / 2 * 2))-$((cpu / 2 * 2 + 1)) ;;
	*) core $cpu $cpu ;;
	esac
	first=$((cpu / 4 * 4))
	cache $cpu 3 $first-$((first + 3))
done
tree "$work/shapes" <<-END
	  machine = package, 16 CPUs: 0-15
	  ├─ L3 cache x 3, 4 CPUs each: 0-3 4-7 12-15
	  │  └─ core x 4, 1 CPU each
	  └─ L3 cache, 4 CPUs: 8-11
	     └─ core x 2, 2 CPUs each: 8-9 10-11
END

# Nor another level of cache, nor what is not told.
machine mixed 0-4
package 0 0-4
for cpu in 0 1 2 3; do
	core $cpu $cpu
	cache $cpu $((3 - cpu / 2)) $cpu
done
tree "$work/mixed" <<-END
	  machine = package, 5 CPUs: 0-4
	  ├─ L3 cache = core x 2, 1 CPU each: 0 1
	  ├─ L2 cache = core x 2, 1 CPU each: 2 3
	  └─ cache not told = core not told, 1 CPU: 4
END
core 4 7
cache 4 3 4
tree "$work/mixed" <<-END
	  machine = package, 5 CPUs: 0-4
	  ├─ L3 cache = core x 2, 1 CPU each: 0 1
	  ├─ L2 cache = core x 2, 1 CPU each: 2 3
	  └─ L3 cache = core not told, 1 CPU: 4
END

# Two nodes inside one cache; cores are not told for CPUs 2 and 3.
machine inside 0-3
package 0 0-3
cache 0 3 0-3
node 0 0-1
node 4 2-3
echo 0,4 >"$system/node/online"
core 0 0
core 1 1
tree "$work/inside" <<-END
	  machine = package = L3 cache, 4 CPUs: 0-3
	  ├─ node 0, 2 CPUs: 0-1
	  │  └─ core x 2, 1 CPU each: 0 1
	  └─ node 4 = core not told, 2 CPUs: 2-3
END
expect_status 1
expect_out '  cores       which CPUs share a core or a package'

# Two packages with one memory.
machine around 0-3
node 0 0-3
echo 0 >"$system/node/online"
for cpu in 0 1 2 3; do
	core $cpu $cpu
	package $cpu $((cpu / 2 * 2))-$((cpu / 2 * 2 + 1))
done
tree "$work/around" <<-END
	  machine = node 0, 4 CPUs: 0-3
	  ├─ package, 2 CPUs: 0-1
	  │  └─ core x 2, 1 CPU each: 0 1
	  └─ package, 2 CPUs: 2-3
	     └─ core x 2, 1 CPU each: 2 3
END

# 2 packages of 4 nodes of 4 caches of 16 cores of 2 threads.
machine large 0-1023
cpu=0
while [ $cpu -lt 1024 ]; do
	core $cpu $cpu-$((cpu + 1))
	[ $((cpu % 32)) -ne 0 ] || cache $cpu 3 $cpu-$((cpu + 31))
	[ $((cpu % 128)) -ne 0 ] || node $((cpu / 128)) $cpu-$((cpu + 127))
	[ $((cpu % 512)) -ne 0 ] || package $cpu $cpu-$((cpu + 511))
	cpu=$((cpu + 2))
done
echo 0-7 >"$system/node/online"
tree "$work/large" <<-END
	  machine, 1024 CPUs: 0-1023
	  ├─ package, 512 CPUs: 0-511
	  │  └─ node 0-3 x 4, 128 CPUs each: 0-127 128-255 256-383 384-511
	  │     └─ L3 cache x 4, 32 CPUs each
	  │        └─ core x 16, 2 CPUs each
	  └─ package, 512 CPUs: 512-1023
	     └─ node 4-7 x 4, 128 CPUs each: 512-639 640-767 768-895 896-1023
	        └─ L3 cache x 4, 32 CPUs each
	           └─ core x 16, 2 CPUs each
END
# Narrower: the CPUs of all together; with holes in them, as far as there is room.
run env COLUMNS=50 "$SKUA" doctor --root "$work/large"
expect_line '  │  └─ node 0-3 x 4, 128 CPUs each: 0-511'
even=$(python3 -c 'print(*range(0, 200, 2), sep=",")')
printf 'Cpus_allowed_list:\t%s\n' "$even" >"$work/large/proc/self/status"
run env COLUMNS=50 "$SKUA" doctor --root "$work/large"
expect_line '  machine = package, 100 CPUs: 0,2,4,6,8,10,12,...'
expect_line '  ├─ node 0, 64 CPUs: 0,2,4,6,8,10,12,14,16,18,...'

# No memory for it: said, and the rest of the report is there.
if grep -q '^SKUA_FAULTS:BOOL=ON' "$SKUA_BUILD/CMakeCache.txt"; then
	run env SKUA_FAULT=malloc:1:ever "$SKUA" doctor --root "$work/ccx"
	expect_status 1
	expect_tree <<-END
		  not known
	END
	run env SKUA_FAULT=malloc:1:ever "$SKUA" doctor --json --root "$work/ccx"
	expect_status 1
	expect_json topology null cpus.allowed 16
	# Memory short only then.
	n=1 found=none
	while [ $n -lt 30 ] && [ "$found" != null ]; do
		run env SKUA_FAULT=malloc:$n "$SKUA" doctor --json --root "$work/ccx"
		found=$(json topology)
		n=$((n + 1))
	done
	expect_status 1
	expect_json topology null caches.0.count 4 unreadable.0.part cores
fi
