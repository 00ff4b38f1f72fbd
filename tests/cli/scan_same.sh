#!/bin/sh
# scan_same.sh — the same bytes for any number of workers, again and again
. "$SKUA_SOURCE/tests/cli/lib"
need_python
make=$SKUA_SOURCE/tests/scan/make_trees

# Files with many names, a wide directory, and names that bite: whatever could depend on who came first.
python3 "$make" --entries 900 backup "$work/backup" && python3 "$make" --entries 3000 flat "$work/flat" &&
	python3 "$make" hostile "$work/hostile" || exit 3
reports='--tree=60 --largest-files=40 --largest-dirs=40 --extensions --empty-dirs --symlinks --errors --stats'

once() { # WORKERS: everything that a scan prints, but for how long it took
	for words in "$reports --json" "--hard-links=subtree $reports" '--du -a -B1' --ncdu --folded --ndjson; do
		"$SKUA" scan --workers="$1" $words "$work/backup" >"$work/told" 2>&1 || echo "status $?"
		sed -E '/"(workers|seconds|entries_per_second)": |^  time |"timestamp":/d' "$work/told"
	done
	"$SKUA" scan --workers="$1" $reports "$work/hostile" "$work/flat" "$work/backup" 2>&1 | sed '/^  time /d'
}
once 1 >"$work/first"
expect "something was printed" [ "$(wc -l <"$work/first")" -gt 1000 ]

rounds=$((${SKUA_TEST_SCALE:-1} > 1 ? 2 * ${SKUA_TEST_SCALE:-1} : 4)) # `make test-long`: 200
round=0
while [ $round -lt $rounds ] && [ $failed = 0 ]; do
	case $((round % 4)) in 0) workers=2 ;; 1) workers=3 ;; 2) workers=8 ;; 3) workers=64 ;; esac
	round=$((round + 1))
	once $workers >"$work/now"
	run cmp "$work/first" "$work/now"
	expect "round $round of $rounds: the same with $workers workers" [ $status = 0 ]
done
chmod -R u+rwx "$work"
