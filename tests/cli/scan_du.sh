#!/bin/sh
# scan_du.sh — options of --du in odd orders and forms, odd operands, the environment: as GNU du
. "$SKUA_SOURCE/tests/cli/lib"
du --version 2>/dev/null | grep -q 'coreutils) 9\.[01]' || skip "du is not that of coreutils 9.0 or 9.1"
unset DU_BLOCK_SIZE BLOCK_SIZE BLOCKSIZE POSIXLY_CORRECT TIME_STYLE

# Sizes around every border of a number, a hole, names of one file, links, a pipe.
cd "$work" || exit 3
mkdir -p tree/a/b tree/c 'tree/od d'
for size in 0 1 999 1000 1001 1023 1024 1025 10239 10240 10241 102400 1048575 1048576 1048577; do
	head -c $size /dev/zero >tree/a/$size
done
truncate -s 5G tree/hole
head -c 9000 /dev/zero >tree/a/b/linked
ln tree/a/b/linked tree/c/again
ln -s a tree/to_a
ln -s nowhere tree/broken
ln -s . tree/c/loop
mkfifo tree/c/pipe
touch -d '1965-03-04 05:06:07' tree/a/1
touch -d '2030-01-01' tree/c/again

same() { # WORD...: what du is told
	du "$@" >"$work/theirs" 2>"$work/their_words"
	wanted=$?
	sed -i 's/^du: /skua scan: /' "$work/their_words"
	run "$SKUA" scan --du "$@"
	expect "the status of du $*: $wanted" [ "$status" -eq "$wanted" ]
	expect "the lines of du $*" cmp "$out" "$work/theirs"
	expect "the words of du $*" cmp "$err" "$work/their_words"
}

# Which unit: the last one counts; a unit alone is printed behind each size.
for words in '-h -k' '-k -h' '-b -h' '-h -b' '-b -k' '-k -b' '-BM -k' '-k -BM' '-BM -h' '-h -BM' '-b -B7' '-B7 -b' \
	-BK -Bk -BKB -BkB -BKiB -BM -Bm -BMB -BMiB -BG -B1K -B1KB -B1000 -B3 -B1M -B1E -hk -bac; do
	same $words tree
	same -a --apparent-size $words tree
done
# What is shown, and what is counted.
for words in '-t1KB -a' '-t1k -a' '-t1m -a' '-t1000 -ab' '-t -1000 -ab' '-t-1 -a' -t0 '-s -d0' '-d0 -a' '-d1 -a -c' \
	'-d 99' '-s -c' '-s -c -0' -0 '-c -0 --time' '--inodes -b' '--inodes -h -a' '--inodes -BK' '--inodes -t 3' \
	'--inodes -t -2 -a' '--inodes --apparent-size' '--inodes --time -d1' -l '-l --inodes -a' '-l -c -s' -L '-L -a' \
	'-L -l -a' '-L --inodes' '-x -a' '--time -a' '--time -s -c'; do
	same $words tree
	same $words tree/c tree/to_a tree tree/hole tree/c/loop/
done
# What is left out: operands too, whatever they are.
for words in --exclude=tree '--exclude=*' '--exclude=tree/*' '--exclude=a' '--exclude=*/a' '--exclude=?' '--exclude=[ac]' \
	'--exclude=tree/a' '--exclude=a/b' '--exclude=\a' '--exclude=.' '--exclude=1*' '--exclude=tree/' '--exclude='; do
	same -a "$words" tree
	same -a -c "$words" tree/a tree/c ./tree/a tree/
done
same --exclude=gone gone
same gone tree/a gone
same -s tree//a tree/./c 'tree/od d'
same -a --exclude='od*' --exclude='b' tree
# A snapshot is a file like others here.
"$SKUA" scan --save=kept.skua tree/c >/dev/null
same -b kept.skua
same -s tree kept.skua

# Without an option it is the environment that says it.
for setting in DU_BLOCK_SIZE=512 DU_BLOCK_SIZE=K DU_BLOCK_SIZE=kB DU_BLOCK_SIZE=nonsense DU_BLOCK_SIZE=0 DU_BLOCK_SIZE= \
	BLOCK_SIZE=1M BLOCKSIZE=2048 POSIXLY_CORRECT=1; do
	for words in -a -s --inodes -k -h; do
		export "${setting?}"
		same $words tree
		unset "${setting%%=*}"
	done
done
export BLOCKSIZE=1M BLOCK_SIZE=2K DU_BLOCK_SIZE=nonsense # the first that is there, whatever it says
same tree
unset BLOCKSIZE BLOCK_SIZE DU_BLOCK_SIZE

# What du takes and we do not, or the other way round, is said.
for words in '-B 010' '-B 0' '-B 1.5K' '-B KK' '-B' '-t 010' '-t -0' '-t x' '-a -s' '-s -d 1'; do
	run "$SKUA" scan --du $words tree
	expect_status 2
	expect_silent_out
done
