#!/bin/sh
# opaque.sh — memory that a loop or task is to fill may be handed over as it is; what was stored before is seen
. "$(dirname "$0")/common"
fresh
warnings='-Wall -Wextra -Werror'

cat >"$scratch/fill.c" <<'C'
#include <skua/skua.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 100000

SKUA_LOOP(fill, long *, a, i) { a[i] = (long)i; }
SKUA_LOOP(twice, long *, a, i) { a[i] *= 2; }
SKUA_FOLD(add, long, sum, const long *, a, i) { *sum += a[i]; }
SKUA_FOLD_MERGE(add, long, sum, next) { *sum += *next; }

static int set(struct skua_slot *skua_here, void *argument)
{
	(void)skua_here;
	*(long *)argument += 5;
	return 0;
}

/* Nobody reads it here: a compiler that took the call for one that does not either would drop the stores. */
static int is_stored(struct skua_pool *pool)
{
	long *local = (long *)malloc(64 * sizeof(*local)), sum = -1;

	if (!local)
		return 0;
	for (long i = 0; i < 64; i++)
		local[i] = i;
	int error = skua_reduce(pool, 0, 64, add, local, &sum, NULL);
	for (long i = 0; i < 64; i++)
		local[i] = 1;
	error += skua_for(pool, 0, 64, twice, local, NULL);
	long after = local[63];
	free(local);
	return !error && sum == 2016 && after == 2;
}

int main(void)
{
	long *array = (long *)malloc(COUNT * sizeof(*array)), *one = (long *)malloc(sizeof(*one));
	struct skua_group group;
	struct skua_pool *pool;

	if (!array || !one || skua_pool_open(&pool, NULL))
		return 1;
	int error = skua_for(pool, 0, COUNT, fill, array, NULL);
	error += skua_for(pool, 0, COUNT, twice, array, NULL);
	*one = 2;
	error += skua_group_open(&group, NULL);
	error += skua_group_go(&group, set, one, 0);
	error += skua_group_wait(&group, SKUA_FOREVER);
	error += !is_stored(pool) || array[COUNT - 1] != 2 * (COUNT - 1) || *one != 7;
	error += skua_pool_close(pool, SKUA_CLOSE_DRAIN);
	free(array);
	free(one);
	printf("%d mistakes\n", error);
	return error != 0;
}
C
cp "$scratch/fill.c" "$scratch/fill.cpp"
for compiler in gcc clang 'g++ -std=c++17' 'clang++ -std=c++17'; do
    command -v "${compiler%% *}" >/dev/null || continue
    source=$scratch/fill.c
    case $compiler in *++*) source=$scratch/fill.cpp ;; esac
    for level in -O1 -O2 -O3; do
        # shellcheck disable=SC2086 # a compiler may have an option, warnings are several
        quietly "$compiler $level" $compiler $level $warnings -I"$SKUA_SOURCE/include" "$source" "$SKUA_BUILD/libskua.a" \
            -pthread -o "$scratch/fill"
        quietly "what $compiler $level made" "$scratch/fill"
    done
done

# And what is copied must be there: that warning stays.
cat >"$scratch/copied.c" <<'C'
#include <skua/skua.h>
int go(struct skua_group *group, skua_group_task *task);
int go(struct skua_group *group, skua_group_task *task)
{
	long nothing;
	return skua_group_go(group, task, &nothing, sizeof(nothing));
}
C
if [ "$(gcc -dumpversion | cut -d. -f1)" -ge 11 ]; then
    # shellcheck disable=SC2086
    if gcc -O2 $warnings -I"$SKUA_SOURCE/include" -c "$scratch/copied.c" -o "$scratch/copied.o" 2>/dev/null; then
        fail "gcc does not see that nothing is copied"
    fi
fi
