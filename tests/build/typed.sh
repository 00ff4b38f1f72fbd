#!/bin/sh
# typed.sh — typed macros of the algorithms: in C++ as in C, and mistakes with types do not compile
. "$(dirname "$0")/common"
fresh
warnings='-Wall -Wextra -Werror'

for compiler in g++ clang++; do
    # shellcheck disable=SC2086 # the warnings are several words
    quietly "algorithms with $compiler" "$compiler" -std=c++17 -O2 $warnings -I"$SKUA_SOURCE/include" \
        "$SKUA_SOURCE/tests/build/consumer/algorithms.cpp" "$SKUA_BUILD/libskua.a" -pthread -o "$scratch/algorithms"
    quietly "algorithms of $compiler" "$scratch/algorithms"
done

# refused LANGUAGE WHAT: the text on standard input must not compile, and without the line WRONG it must
refused()
{
    source=$scratch/refused.$1
    { printf '#include <skua/skua.h>\n#include <string.h>\n'; cat; } >"$source"
    compiler=gcc
    [ "$1" = cpp ] && compiler='g++ -std=c++17'
    if $compiler -I"$SKUA_SOURCE/include" -fsyntax-only "$source" 2>/dev/null; then
        fail "$2 compiles"
    fi
    sed '/WRONG/d' "$source" >"$source.right.$1"
    # shellcheck disable=SC2086 # the compiler has an option
    quietly "what is right beside: $2" $compiler -I"$SKUA_SOURCE/include" -fsyntax-only "$source.right.$1"
}
refused c "a merge of another type than its fold" <<'C'
SKUA_FOLD(add, long, sum, long *, x, i) { *sum += x[i]; }
SKUA_FOLD_MERGE(add, int, sum, next) { *sum += *next; } /* WRONG */
C
refused c "an init that the merge does not use" <<'C'
SKUA_FOLD(add, long, sum, long *, x, i) { *sum += x[i]; }
SKUA_FOLD_INIT(add, long, sum) { *sum = 1; } /* WRONG */
SKUA_FOLD_MERGE(add, long, sum, next) { *sum += *next; }
C
refused c "a pointer of another type as where" <<'C'
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
SKUA_LOOP(body, int *, x, i) { x[i]++; }
int run(struct skua_group *group, int *x) { return skua_for(group, 0, 1, body, x, NULL); } /* WRONG */
C
refused cpp "a sort of what is not plain bytes" <<'C'
#include <string>
SKUA_SORT(by_text, std::string, a, b) { return *a < *b; } /* WRONG */
C

# Sizes that do not fit: each line WRONG is an error where the compiler optimizes, the others compile.
cat >"$scratch/sizes.c" <<'C'
#include <skua/skua.h>
SKUA_FOLD(dot, double, sum, const double *, x, i) { *sum += x[i]; }
SKUA_FOLD_MERGE(dot, double, sum, next) { *sum += *next; }
SKUA_FOLD(count, int, sum, const double *, x, i) { *sum += x[i] > 0; }
SKUA_FOLD_MERGE(count, int, sum, next) { *sum += *next; }
SKUA_SCAN(add, double, sum, next) { *sum += *next; }
SKUA_FILTER(is_odd, int, n, void *, unused) { return *n % 2 != 0; }
SKUA_UNIQUE(same, int, a, b) { return *a == *b; }
SKUA_GROUP_KEY(last, int, n) { return (uint64_t)*n % 10; }
SKUA_MAP(half, int, in, double, out, void *, unused) { *out = *in / 2.0; }
SKUA_TRANSFORM(twice, double, x, void *, unused) { *x *= 2; }
#define IN(name, ...) \
    int name(int *n, float *f, double *d, void *any, char *raw, size_t *kept); \
    int name(int *n, float *f, double *d, void *any, char *raw, size_t *kept) \
    { \
        float small = 0; \
        double large = 0, three[3] = { 0, 0, 0 }; \
        struct skua_groups groups; \
        (void)n, (void)f, (void)d, (void)any, (void)raw, (void)kept; \
        (void)small, (void)large, (void)three, (void)sizeof(groups); \
        return __VA_ARGS__; \
    }
IN(fold_wide, skua_reduce(NULL, 0, 9, dot, d, &small, NULL)) /* WRONG */
IN(fold_narrow, skua_reduce(NULL, 0, 9, count, d, &large, NULL)) /* WRONG */
IN(scan_in, skua_scan(NULL, f, d, 9, add, NULL)) /* WRONG */
IN(scan_out, skua_scan(NULL, d, f, 9, add, NULL)) /* WRONG */
IN(filter_in, skua_filter(NULL, d, n, 9, is_odd, NULL, kept, NULL)) /* WRONG */
IN(filter_out, skua_filter(NULL, n, d, 9, is_odd, NULL, kept, NULL)) /* WRONG */
IN(partition_of, skua_partition(NULL, d, 9, is_odd, NULL, kept, NULL)) /* WRONG */
IN(unique_of, skua_unique(NULL, n, d, 9, same, NULL, kept, NULL)) /* WRONG */
IN(groups_of, skua_group_by(NULL, d, 9, last, NULL, &groups, NULL)) /* WRONG */
IN(map_in, skua_map(NULL, d, sizeof(int), d, sizeof(double), 9, half, NULL, NULL)) /* WRONG */
IN(map_out, skua_map(NULL, n, sizeof(int), d, sizeof(int), 9, half, NULL, NULL)) /* WRONG */
IN(transform_of, skua_transform(NULL, d, 9, sizeof(float), twice, NULL, NULL)) /* WRONG */
IN(fill_of, skua_fill(NULL, d, 9, sizeof(float), &small, NULL)) /* WRONG */
IN(fold, skua_reduce(NULL, 0, 9, dot, d, &large, NULL))
IN(fold_count, skua_reduce(NULL, 0, 9, count, d, n, NULL))
IN(fold_first, skua_reduce(NULL, 0, 9, dot, d, three, NULL))
IN(fold_any, skua_reduce(NULL, 0, 9, dot, d, any, NULL))
IN(fold_raw, skua_reduce(NULL, 0, 9, dot, d, raw, NULL))
IN(scan, skua_scan(NULL, d, any, 9, add, NULL))
IN(scan_raw, skua_scan(NULL, raw, d, 9, add, NULL))
IN(scan_none, skua_scan(NULL, NULL, NULL, 0, add, NULL))
IN(filter, skua_filter(NULL, n, (int *)any, 9, is_odd, NULL, kept, NULL))
IN(partition, skua_partition(NULL, n, 9, is_odd, NULL, kept, NULL))
IN(unique, skua_unique(NULL, n, n, 9, same, NULL, kept, NULL))
IN(by_last, skua_group_by(NULL, n, 9, last, NULL, &groups, NULL))
IN(transform, skua_transform(NULL, d, 9, sizeof(double), twice, NULL, NULL))
IN(map, skua_map(NULL, n, sizeof(int), d, sizeof(double), 9, half, NULL, NULL))
IN(map_kept, skua_map(NULL, n, *kept, d, *kept, 9, half, NULL, NULL))
IN(fill_threes, skua_fill(NULL, d, 9, sizeof(three), three, NULL))
static void add_two(void *into, const void *next, void *none) { (void)into, (void)next, (void)none; }
static const struct skua_scan_op twos = { 2 * sizeof(double), add_two, NULL, NULL, NULL };
static const struct skua_scan_op *const ops[] = { &twos, &add };
IN(scan_of_own, skua_scan(NULL, d, d, 9, twos, NULL))
IN(scan_of_many, skua_scan(NULL, d, d, 9, *ops[*n], NULL))
C
wrong=$(grep -c WRONG "$scratch/sizes.c")
sed '/WRONG/d' "$scratch/sizes.c" >"$scratch/sizes_right.c"
for compiler in "gcc -xc" "clang -xc" "g++ -xc++" "clang++ -xc++"; do
    for level in -O0 -O1 -O2; do
        # shellcheck disable=SC2086 # compiler and warnings are several words
        quietly "sizes that fit, $compiler $level" $compiler $level $warnings -I"$SKUA_SOURCE/include" -c \
            "$scratch/sizes_right.c" -o "$scratch/sizes.o"
    done
    # shellcheck disable=SC2086
    $compiler -O1 -I"$SKUA_SOURCE/include" -c "$scratch/sizes.c" -o "$scratch/sizes.o" 2>"$scratch/log" &&
        fail "wrong sizes compile with $compiler"
    refused=$(grep -c 'error:.*skua_wrong_size' "$scratch/log") || true
    [ "$refused" -eq "$wrong" ] || { cat "$scratch/log" >&2; fail "$compiler refuses $refused of $wrong wrong sizes"; }
done
echo "typed macros work in C++ too, and mistakes do not compile: four of type, $wrong of size"
