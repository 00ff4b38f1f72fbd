#!/bin/sh
# scan_oracle.sh — nine shapes of trees: counts as find's, lines and messages as du's, any workers
. "$SKUA_SOURCE/tests/cli/lib"
need_python
du --version 2>/dev/null | grep -q 'coreutils) 9\.[01]' || skip "du is not that of coreutils 9.0 or 9.1"

# In release builds all counts of workers; where the command is slow, fewer.
workers=1,2,3,8,64
case "$SKUA_BUILD" in */release) ;; *) workers=1,3 ;; esac
scale=${SKUA_TEST_SCALE:-1}
repeat=$(((scale + 1) / 2)) # `make test-long`: 50 runs of each of the options of --du
entries=$((600 * (scale > 5 ? 5 : scale)))

# Another user must be able to come here and to run it; not all builds may be reached.
chmod 755 "$work"
cp "$SKUA" "$work/skua"

for shape in $(python3 "$SKUA_SOURCE/tests/scan/make_trees" --list); do
	mkdir "$work/$shape"
	python3 "$SKUA_SOURCE/tests/scan/make_trees" --entries "$entries" "$shape" "$work/$shape/tree" || exit 3
	flags=
	[ "$shape" != deep ] || flags=--deep
	[ "$shape" = source ] || [ "$repeat" = 1 ] || repeat=3
	run python3 "$SKUA_SOURCE/tests/scan/oracle" $flags --repeat "$repeat" --workers "$workers" \
		"$work/skua" "$work/$shape/tree"
	expect_status 0
	if [ "$shape" = hostile ] && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		run python3 "$SKUA_SOURCE/tests/scan/oracle" --other-user --workers "$workers" \
			"$work/skua" "$work/$shape/tree"
		expect_status 0
	fi
	chmod -R u+rwx "$work/$shape" && rm -rf "$work/$shape"
done

# More names than du takes as they come; and more than one of its batches.
for entries in 12000 $((100000 * (scale > 9 ? 10 : 1) + 11000)); do
	python3 "$SKUA_SOURCE/tests/scan/make_trees" --entries "$entries" flat "$work/large" || exit 3
	du -a -B1 "$work/large" >"$work/expected"
	for count in 1 2 8; do
		run "$SKUA" scan --du -a -B1 --workers $count "$work/large"
		expect_status 0
		expect "as du has it: $entries entries, $count workers" cmp -s "$out" "$work/expected"
	done
	rm -rf "$work/large"
done
