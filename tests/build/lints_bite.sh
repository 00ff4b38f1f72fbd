#!/bin/sh
# lints_bite.sh — in a copy of the tree, break one rule at a time: the right lint must go red for it
. "$(dirname "$0")/common"
fresh
copy=$scratch/tree
count=0
wrong=0

unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE || true
mkdir "$copy"
PYTHONPATH=$SKUA_SOURCE/tools python3 -c 'import house; print(*house.all_files(), sep="\0", end="")' >"$scratch/list"
(cd "$SKUA_SOURCE" && tar --null -T "$scratch/list" -cf -) | tar xf - -C "$copy"
cd "$copy"

# green WHERE: whole, all are green
green()
{
    for lint in layers orders map format size docs; do
        quietly "lint_$lint on $1" python3 tools/lint_$lint.py
    done
}

# First as an unpacked archive: no git, and a build in it that is none of the lints' business.
mkdir build
printf 'not ours \n' >build/bite.c
green "an archive without git"
rm -r build

# Then the copy is a repository of its own, so that every break is undone by git.
git init -q
git add -A
git -c user.name=test -c user.email=test@localhost commit -q -m copy
SPDX='/* SPDX-License-Identifier: MIT */'

# c FILE TEXT: a C file with its first two lines in order
c()
{
    mkdir -p "$(dirname "$1")"
    printf '%s\n/* %s — made to break a rule */\n%b\n' "$SPDX" "$(basename "$1")" "$2" >"$1"
}

# red LINT REGEX: the lint fails and says so; then the copy is whole again
red()
{
    count=$((count + 1))
    # shellcheck disable=SC2086 # a lint may come with arguments
    if python3 tools/$1 >"$scratch/log" 2>&1; then
        echo "lints_bite: $1 stayed green, should have said: $2" >&2
        wrong=$((wrong + 1))
    elif ! grep -q -E -e "$2" "$scratch/log"; then
        echo "lints_bite: $1 went red, but not with: $2" >&2
        head -n 5 "$scratch/log" >&2
        wrong=$((wrong + 1))
    fi
    git reset -q --hard
    git clean -q -f -d
}

green "an unbroken tree"

lint=lint_layers.py
c src/os/bite_os.h ''; c src/base/bite.h '#include "os/bite_os.h"'
red $lint '^src/base/bite.h:3: wrong edge: src/base may not include src/os/bite_os.h'
c src/par/bite_par.h ''; c src/fiber/bite.h '#include "par/bite_par.h"'
red $lint '^src/fiber/bite.h:3: wrong edge'
c src/base/bite_base.h ''; c tool/bite.h '\n#include "base/bite_base.h"'
red $lint '^tool/bite.h:4: wrong edge'
c src/base/bite_base.h ''; c include/skua/bite.h '#include <base/bite_base.h>'
red $lint '^include/skua/bite.h:3: wrong edge'
c src/os/bite.h '#include "os/bite_two.h"'; c src/os/bite_two.h '#include "os/bite.h"'
red $lint 'include cycle: src/os/bite.h -> src/os/bite_two.h -> src/os/bite.h'
c src/os/bite.c 'int bite(int *p)\n{\n\treturn __atomic_load_n(p, 0);\n}'
red $lint '^src/os/bite.c:5: raw atomic __atomic_load_n'
c tests/unit/bite.c '#include <stdatomic.h>'
red $lint '^tests/unit/bite.c:3: raw atomic <stdatomic.h>'
c tool/bite.c '#if 1 && \\\n\tdefined(__linux__)\n#endif'
red $lint '^tool/bite.c:3: platform #if on __linux__'
c tests/unit/bite.c 'void bite(void)\n{\n\tpthread_cond_wait(0, 0);\n}'
red $lint '^tests/unit/bite.c:5: pthread_cond_wait'
c src/os/bite.h ''; c tool/bite.c ''
red $lint '^tool/bite.c:1: base name taken by src/os/bite.h'
c src/os/bite.c ''; c tests/unit/bite_two.c '#include "os/bite.c"'
red $lint '^tests/unit/bite_two.c:3: includes the source file os/bite.c'
c src/os/bite.c '#define BITE "os/bite.h"\n#include BITE'
red $lint '^src/os/bite.c:4: #include BITE: what it includes cannot be seen here'
c src/os/bite.c '#include_next <stdio.h>'
red $lint '^src/os/bite.c:3: #include_next <stdio.h>: what it includes cannot be seen here'
printf 'int x;\n' >src/os/bite.inc; c src/os/bite.c '#include "os/bite.inc"'
red $lint '^src/os/bite.c:3: includes os/bite.inc; what is included is called .h'
c tool/bite.c 'int skuai_bite(void);'
red $lint '^tool/bite.c:3: skuai_bite is internal; tool uses public names only'
c examples/bite.c 'int x = sizeof(struct skuai_cpuset);'
red $lint '^examples/bite.c:3: skuai_cpuset is internal'
c src/os/bite.c 'int bite(_Atomic int *p)\n{\n\treturn __c11_atomic_load(p, 0);\n}'
red $lint '^src/os/bite.c:5: raw atomic __c11_atomic_load'
c src/os/bite.c 'void bite(void)\n{\n\t_mm_mfence();\n}'
red $lint '^src/os/bite.c:5: raw atomic _mm_mfence'
c src/os/bite.c 'void bite(void)\n{\n\t__asm__ volatile("mfence" ::: "memory");\n}'
red $lint '^src/os/bite.c:5: raw atomic mfence'
c src/sched/bite.c '#include <linux/futex.h>'
red $lint '^src/sched/bite.c:3: kernel header <linux/futex.h> outside src/os tests'
c tool/bite.c '#include <sys/syscall.h>'
red $lint '^tool/bite.c:3: kernel header <sys/syscall.h> outside src/os tests'
c odd/bite.c ''
red $lint '^odd/bite.c:1: this folder is not in LAYERS'

lint=lint_orders.py
c src/os/bite.c 'void f(void)\n{\n\tskua_store(&word, 1, relaxed); /* not a tag */\n}'
red $lint '^src/os/bite.c:5: skua_store has no order tag'
c bench/rivals/bite.c 'void f(void)\n{\n\tskua_store(&word, 1, relaxed);\n}'
red $lint '^bench/rivals/bite.c:5: skua_store has no order tag'
c src/os/bite.c '\tskua_store(&a, 1, relaxed); /* order bite.f.1: why */\n\tskua_store(&b, 1, relaxed); /* order bite.f.1: why */'
red $lint '^src/os/bite.c:4: order bite.f.1 is taken by src/os/bite.c:3'
c src/os/bite.c '\tskua_store(&a, 1, relaxed); /* order bitten.f.1: why */'
red $lint "^src/os/bite.c:3: order bitten.f.1: its first part must be the file's name, bite"
c src/os/bite.c '\t/* order bite.f.1: pairs bite.g.1\n\t * shape    two lines\n\t */\n\tskua_fence(&a, seq_cst);\n\tskua_fence(&b, seq_cst); /* order bite.g.1: why */'
red $lint '^src/os/bite.c:6: order bite.f.1 pairs bite.g.1, but that one does not pair back'
c src/os/bite.c '\tskua_fence(&a, seq_cst); /* order bite.f.1: pairs bite.gone.7 */'
red $lint '^src/os/bite.c:3: order bite.f.1 names bite.gone.7, which does not exist'
c src/os/bite.c '\tskua_fence(&a, acquire); /* order bite.f.1: fence seq_cst, no */'
red $lint '^src/os/bite.c:3: order bite.f.1 says seq_cst, the code says acquire'
c src/os/bite.c '\t/* order bite.f.1: pairs bite.g.1, bite.h.1 */\n\tskua_fence(&a, seq_cst);\n\tskua_fence(&b, seq_cst); /* order bite.g.1: pairs bite.f.1 */\n\tskua_fence(&c, seq_cst); /* order bite.h.1: why */'
red $lint '^src/os/bite.c:4: order bite.f.1 pairs bite.h.1, but that one does not pair back'
c src/os/bite.c '\tskua_store(&a, 1, relaxed); /* order bite.f.1: carried by .2 and .3 */\n\tskua_fence(&b, release); /* order bite.f.2: why */'
red $lint '^src/os/bite.c:3: order bite.f.1 names .3, which does not exist'
c src/os/bite.c '\tskua_light_fence(&a);'
red $lint '^src/os/bite.c:3: skua_light_fence has no order tag'
c src/os/bite.c '\tskua_light_fence(&a); /* order bite.f.1: seq_cst, no */'
red $lint '^src/os/bite.c:3: order bite.f.1 says seq_cst, the code says light'
branches='\tif (x)\n\t\tskua_light_fence(&a);\n\telse\n\t\tskua_fence(&a, seq_cst);'
c src/os/bite.c "\t/* order bite.f.1: fence acquire, one tag for both branches */\n$branches"
red $lint '^src/os/bite.c:5: order bite.f.1 says acquire, the code says light'
c src/os/bite.c "\t/* order bite.f.1: fence seq_cst, for both branches, not for what follows */\n$branches\n\tskua_fence(&b, seq_cst);"
red $lint '^src/os/bite.c:8: skua_fence has no order tag'
c src/os/bite.c '/* order bite.f.1: nothing here */\nint x;'
red $lint '^src/os/bite.c:3: order bite.f.1 stands at no atomic operation'
c src/os/bite.c '\tskua_store(&a, 1, relaxed); /* order bite.f.1: new, not in the ledger */'
red $lint '^docs/orders.md:1: stale'

lint=lint_map.py
c src/os/bite.c ''
red $lint '^MAP.md:1: stale'
printf '%s\nint x;\n' "$SPDX" >src/os/bite.c
red $lint '^src/os/bite.c:2: no role line'
printf '#!/bin/sh\ntrue\n' >tools/bite
red $lint '^tools/bite:1: no role line'

lint=lint_format.py
c src/os/bite.c 'int  x;'
red $lint '^src/os/bite.c:3: 1 place.s. not as clang-format'
c src/os/bite.c "/* $(printf '%0101d' 0) */"
red $lint '^src/os/bite.c:3: 107 columns'
c src/os/bite.c "/*\n * $(printf '%0101d' 0) \"text\"\n */"
red $lint '^src/os/bite.c:4: 111 columns'
c src/os/bite.c '/*\n * two lines that a tool has\n *joined\n */'
red $lint '^src/os/bite.c:5: no blank behind the [*] of a comment'
printf '/* bite.c — no licence */\n' >src/os/bite.c
red $lint '^src/os/bite.c:1: line 1 is not the licence mark'
printf '# bite \n' >docs/bite.md
red $lint '^docs/bite.md:1: white space at the end of the line'
printf '# bite\r\n' >docs/bite.md
red $lint '^docs/bite.md:1: CRLF line end'
printf '# bite' >docs/bite.md
red $lint '^docs/bite.md:1: no newline at the end'
printf 'if(x)\n\tset(y)\nendif()\n' >cmake/bite.cmake
red $lint '^cmake/bite.cmake:2: tab in a file'

lint=lint_docs.py
printf '# bite\n[gone](gone/away.md)\n' >docs/bite.md
red "$lint links" '^docs/bite.md:2: broken link: gone/away.md'
printf '# bite\n[here](#bite) [not](#bitten)\n' >docs/bite.md
red "$lint links" '^docs/bite.md:2: broken anchor: docs/bite.md has no heading #bitten'
printf '# bite\n```c\n#include <skua/skua.h>\nint bite(void)\n{\n\treturn no_such_name;\n}\n```\n' >docs/bite.md
red "$lint code" '^docs/bite.md:6: C block does not compile: .*no_such_name'
printf '# bite\n```c\n#include <skua/skua.h>\nint main(void)\n{\n\treturn skua_version() > 0 ? 9 : 0;\n}\n```\n' >docs/bite.md
red "$lint code" '^docs/bite.md:2: C block compiles, but ends with status 9'
printf '# bite\n```console\n$ skua no-such-command\n```\n' >docs/bite.md
red "$lint sessions" '^docs/bite.md:3: `skua no-such-command` ends with status 2, not 0'
c include/skua/bite.h 'SKUA_API int skua_bite(void);'
red "$lint headers" '^include/skua/bite.h:3: skua_bite: no Thread, Memory, Ordering, Fails, Cost, See'
c include/skua/bite.h '/**\n * Bite.\n *\n * Thread    any\n * Memory    any\n * Ordering  any\n * Fails     any\n * Cost      any\n * See       tests/gone.c\n */\nSKUA_API int skua_bite(void);'
cp include/skua/bite.h "$scratch/bite.h"
red "$lint headers" '^include/skua/bite.h:13: skua_bite: no man page names it'
cp "$scratch/bite.h" include/skua/bite.h
red "$lint headers" '^include/skua/bite.h:13: skua_bite: See names tests/gone.c'
cp "$scratch/bite.h" include/skua/bite.h
red "$lint headers" '^include/skua/bite.h:1: public header that <skua/skua.h> does not include'
c include/skua/bite.h 'const char *\nskua_bite(int a);'
red "$lint headers" '^include/skua/bite.h:4: skua_bite has no SKUA_API'
sed -i 's/X(doctor)/X(doctor) X(bite)/' tool/command.h
red "$lint man" '^tool/command.h:10: the command bite has no manual page'
c tool/bite.c 'char *bite(void)\n{\n\treturn getenv("SKUA_BITE");\n}'
red "$lint man" '^tool/bite.c:5: SKUA_BITE is read from the environment'
printf '.Dd January 1, 2026\n.Dt SKUA-BITE 1\n.Os\n.Sh NAME\n.Nm skua-bite\n.Nd bite\n.Sh SEE ALSO\n.Xr skua-gone 1\n' >docs/man/skua-bite.1
red "$lint man" '^docs/man/skua-bite.1:8: .Xr skua-gone 1: there is no such page'
if command -v mandoc >/dev/null; then
    printf '.Dd January 1, 2026\n.Dt SKUA-BITE 1\n.Os\n.Sh NAME\n.Nm skua-bite\n.Nd bite\n.No_such_macro\n' >docs/man/skua-bite.1
    red "$lint man" '^docs/man/skua-bite.1:7: mandoc: '
fi

c src/os/bite.c 'int bite(int p)\n{\n\treturn p > 0 ? 7 : 7;\n}'
red 'lint_tidy.py src/os/bite.c' '^src/os/bite.c:5: .*\[bugprone-branch-clone\]'
c src/os/bite.c 'static int bite;\nint *bite_f(void)\n{\n\treturn &bite;\n}'
c src/os/bite_two.c 'static char bite;\nchar *bite_g(void)\n{\n\treturn &bite;\n}'
red "amalgamate.py $scratch/dist" "^src/os/bite_two.c:3: conflicting types for .bite.*; in one file with the others"

# Size is only reported.
c src/os/bite.c "int bite(int a, int b, int c, int d, int e, int f)\n{\n$(printf '\\ta++;\\n%.0s' $(seq 61))}"
quietly "lint_size, which reports and never fails" python3 tools/lint_size.py
grep -q '^src/os/bite.c:3: bite has 61 lines' "$scratch/log" || fail "lint_size did not report a function of 61 lines"
grep -q '^src/os/bite.c:3: bite has 6 parameters' "$scratch/log" || fail "lint_size did not report 6 parameters"

[ "$wrong" = 0 ] || fail "$wrong of $count broken rules were not noticed as they should"
echo "lints_bite: $count rules broken, each noticed by its lint for its reason"
