#!/bin/sh
# scan_mounts.sh — directories mounted within themselves, twice, and files on files: as du has them
. "$SKUA_SOURCE/tests/cli/lib"
need_python
unshare -m true 2>/dev/null || skip "mounts of our own are not allowed here"
du --version 2>/dev/null | grep -q 'coreutils) 9\.[01]' || skip "du is not that of coreutils 9.0 or 9.1"

tree=$work/tree
mkdir -p "$tree/a/b" "$tree/c/inner" "$tree/twice" "$tree/far" "$tree/proc"
for name in a/one a/b/hidden c/two c/three c/inner/four on_it on_far; do head -c 5000 /dev/zero >"$tree/$name"; done

# In the namespace: $1 the tree, $2 the command, $3 where results go.
cat >"$work/mounted" <<'END'
mount --bind "$1/a" "$1/a/b" || exit 77             # a loop on one device
mount --bind "$1/c" "$1/twice" || exit 77           # the same files at two places
mount --bind "$1/c/two" "$1/on_it" || exit 77       # a file on a file
mount -t tmpfs none "$1/far" || exit 77             # two systems whose files have the same numbers,
head -c 9000 /dev/zero >"$1/far/away"               # one met in the middle of the other
mkdir "$1/far/m" && mount -t tmpfs none "$1/far/m" || exit 77
head -c 19000 /dev/zero >"$1/far/m/away"
ln "$1/far/m/away" "$1/far/m/again"
ln "$1/far/away" "$1/far/again"
mount --bind "$1/far/away" "$1/on_far" || exit 77
mount -t proc none "$1/proc" 2>/dev/null && has_proc=yes
for words in '-a' '-s' '-a -x' '-s -x' '-a --inodes' '-a -l' '-b'; do
	case "$words:${has_proc-}" in *-x*) exclude= ;; *:yes) exclude="--exclude=$1/proc" ;; *) exclude= ;; esac
	du $words $exclude "$1" >"$3/theirs" 2>"$3/their_words"
	echo $? >>"$3/their_words"
	for workers in 1 3; do
		"$2" scan --du $words $exclude --workers=$workers "$1" >"$3/ours" 2>"$3/our_words"
		echo $? >>"$3/our_words"
		diff "$3/theirs" "$3/ours" && diff "$3/their_words" "$3/our_words" && continue
		echo "du $words: not the same with $workers workers"
		exit 1
	done
done
for report in --count --tree --errors; do
	"$2" scan --json $report "$1" >"$3/json$report"
	echo $? >"$3/status$report"
done
"$2" scan --json -x "$1" >"$3/json-x"
"$2" scan --json --duplicates "$1" >"$3/json-dupes" 2>"$3/dupes_words"
python3 "$3/percent" "$2" "$1/far" yes && python3 "$3/percent" "$2" "$1/twice" no
END
# How much is left is told where the whole of a file system is walked, and only there.
cat >"$work/percent" <<'END'
import os, signal, subprocess, sys, time
skua, path, wanted = sys.argv[1:]
os.mkdir(f"{path}/many")
open(f"{path}/many/one", "w").close()
for i in range(30000):
    os.link(f"{path}/many/one", f"{path}/many/{i}")
for wait in (0.01, 0.02, 0.005, 0.04, 0.003, 0.08, 0.002, 0.15):
    process = subprocess.Popen([skua, "scan", "-x", "--workers=1", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(wait)
    process.send_signal(signal.SIGSTOP)
    process.send_signal(signal.SIGUSR1)
    time.sleep(0.15)
    process.send_signal(signal.SIGCONT)
    said = process.communicate()[1].decode()
    if " entries, " in said and " 0 entries, " not in said:  # else it was asked before it was anywhere
        sys.exit((" %" in said) != (wanted == "yes") and f"{wanted}: {said}")
print(f"skipped: percentage of {path}: the scan was over too soon")
END
run unshare -m sh "$work/mounted" "$tree" "$SKUA" "$work"
[ "$status" -ne 77 ] || skip "mounts are not allowed here"
expect_status 0

# Said plainly: the loop is an error, the rest is counted; what the kernel makes up is not entered.
for report in --count --tree --errors; do
	expect "status 1 with $report" [ "$(cat "$work/status$report")" = 1 ]
	cp "$work/json$report" "$out"
	expect_json errors 1 directories 8 files 13
done
expect_json error_list.0.step loop error_list.0.path "$tree/a/b"
cp "$work/json-x" "$out"
expect_json files 8
if ! grep -q 'not to be had' "$work/dupes_words"; then # what is seen at two places is still one file
	cp "$work/json-dupes" "$out"
	expect_json duplicates.groups 1 duplicates.list.0.count 4 duplicates.extra_bytes 15000
fi
