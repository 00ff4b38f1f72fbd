#!/bin/sh
# scan_oracle.sh — nine shapes of trees: counts as find's, lines and messages as du's, any workers
. "$SKUA_SOURCE/tests/cli/lib"
need_python
du --version 2>/dev/null | grep -q 'coreutils) 9\.[01]' || skip "du is not that of coreutils 9.0 or 9.1"

# Every number of workers where the command is quick; below a sanitizer enough to pass every line of it.
scale=${SKUA_TEST_SCALE:-1}
repeat=$(((scale + 1) / 2)) # `make test-long`: 50 runs of each of the options of --du
entries=$((600 * (scale > 5 ? 5 : scale)))
case "${SKUA_BUILD##*/}:$scale" in
asan:1 | msan:1) workers=3 most=--few counts=2 large=12000 entries=200 ;;
asan:* | msan:*) workers=1,3 most= counts='1 2 8' large='12000 111000' ;;
*:1) workers=3,1,2,8,64 most=--brief counts='1 2 8' large=111000 ;;
*) workers=1,2,3,8,64 most= counts='1 2 8' large='12000 1011000' ;;
esac

# Another user must be able to come here and to run it; not all builds may be reached.
chmod 755 "$work"
cp "$SKUA" "$work/skua"

for shape in $(python3 "$SKUA_SOURCE/tests/scan/make_trees" --list); do
	mkdir "$work/$shape"
	python3 "$SKUA_SOURCE/tests/scan/make_trees" --entries "$entries" "$shape" "$work/$shape/tree" || exit 3
	flags=$most
	[ "$shape" != deep ] || flags="--deep $most --workers ${workers%%,8*}" # a chain has no use for more
	[ "$shape$most" != hostile--few ] || flags=--brief
	[ "$shape" = source ] || [ "$repeat" = 1 ] || repeat=3
	run python3 "$SKUA_SOURCE/tests/scan/oracle" --repeat "$repeat" --workers "$workers" $flags \
		"$work/skua" "$work/$shape/tree"
	expect_status 0
	if [ "$shape" = hostile ] && [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		run python3 "$SKUA_SOURCE/tests/scan/oracle" $most --other-user --workers "$workers" \
			"$work/skua" "$work/$shape/tree"
		expect_status 0
	fi
	chmod -R u+rwx "$work/$shape" && rm -rf "$work/$shape"
done

# More names than du takes as they come; and more than one of its batches.
for entries in $large; do
	python3 "$SKUA_SOURCE/tests/scan/make_trees" --entries 2000 flat "$work/large" || exit 3
	(cd "$work/large/all" && seq -f 'more%.0f' $((entries - 2000)) | xargs touch) || exit 3
	du -a -B1 "$work/large" >"$work/expected"
	for count in $counts; do
		run "$SKUA" scan --du -a -B1 --workers $count "$work/large"
		expect_status 0
		expect "as du has it: $entries entries, $count workers" cmp -s "$out" "$work/expected"
	done
	rm -rf "$work/large"
done

# The machine's own trees; what changes between two looks gets another chance.
[ "$scale" -gt 1 ] || exit 0
for tree in /usr /etc /var; do
	for chance in 1 2 3; do
		run python3 "$SKUA_SOURCE/tests/scan/oracle" --few --workers "$workers" "$work/skua" $tree
		[ "$status" -ne 0 ] || break
	done
	expect_status 0
done
