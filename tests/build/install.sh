#!/bin/sh
# install.sh — an install under DESTDIR has the right files, and programs outside the tree use it
. "$(dirname "$0")/common"
mkdir -p "$scratch"
build=$scratch/release
consumer=$SKUA_SOURCE/tests/build/consumer
warnings='-Wall -Wextra -Werror'

# expected LIBDIR: the files an install must have, relative to the prefix
expected()
{
    {
        echo bin/skua
        (cd "$SKUA_SOURCE" && find include -name '*.h')
        printf "$1/%s\n" libskua.a libskua.so libskua.so.0 "libskua.so.$version" pkgconfig/skua.pc cmake/skua/skuaConfig.cmake \
            cmake/skua/skuaConfigVersion.cmake cmake/skua/skuaTargets.cmake cmake/skua/skuaTargets-release.cmake
        for page in "$SKUA_SOURCE"/docs/man/*.[1-9]; do
            [ -e "$page" ] && echo "share/man/man${page##*.}/$(basename "$page")"
        done
        # a link for every other name that a page of section 3 describes
        sed -n 's|^\.Nm \([A-Za-z_0-9]*\).*|share/man/man3/\1.3|p' "$SKUA_SOURCE"/docs/man/*.3
    } | sort -u
}

# runs PROGRAM KIND: it works, and is linked the way it says
runs()
{
    links=$(readelf -dW "$1" 2>/dev/null | grep -c 'NEEDED.*\[libskua\.so\.0\]' || true)
    case $2 in
    shared) [ "$links" = 1 ] || fail "$1 is not linked with libskua.so.0" ;;
    static) [ "$links" = 0 ] || fail "$1 is linked with libskua.so.0, but should be static" ;;
    esac
    quietly "running a consumer" env LD_LIBRARY_PATH="$libdir" "$1"
    grep -q "^skua $version, " "$scratch/log" || fail "$1 printed: $(cat "$scratch/log")"
    count=$((count + 1))
}

# consume: through pkg-config and through CMake, shared and static, in C and in C++
# shellcheck disable=SC2046,SC2086 # flags are several words
consume()
{
    export PKG_CONFIG_PATH="$libdir/pkgconfig"
    [ "$(pkg-config --modversion skua)" = "$version" ] || fail "pkg-config has version $(pkg-config --modversion skua), not $version"
    for compiler in gcc:consumer.c g++:consumer_cxx.cpp; do
        source=$consumer/${compiler#*:}
        program=$scratch/pc.${compiler%:*}
        quietly "pkg-config, shared" ${compiler%:*} $warnings "$source" -o "$program" $(pkg-config --cflags --libs skua)
        runs "$program" shared
        quietly "pkg-config, static" ${compiler%:*} $warnings "$source" -o "$program.static" -static $(pkg-config --static --cflags --libs skua)
        runs "$program.static" static
    done
    quietly "configuring with find_package" cmake -G Ninja -S "$consumer" -B "$scratch/consumer$prefix" -DCMAKE_PREFIX_PATH="$root$prefix" \
        -DCMAKE_C_FLAGS="$warnings" -DCMAKE_CXX_FLAGS="$warnings" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
    grep -q "^skua_DIR:PATH=$root$prefix/" "$scratch/consumer$prefix/CMakeCache.txt" || fail "find_package found another skua than $root$prefix"
    quietly "building with find_package" cmake --build "$scratch/consumer$prefix"
    for language in c cxx; do
        runs "$scratch/consumer$prefix/${language}_skua" shared
        runs "$scratch/consumer$prefix/${language}_skua_static" static
    done
}

# tree: the same programs with skua as a folder of their own project, that builds no more than the libraries
tree()
{
    rm -rf "$scratch/tree"
    quietly "configuring with add_subdirectory" cmake -G Ninja -S "$consumer" -B "$scratch/tree" -DSKUA_TREE="$SKUA_SOURCE" \
        -DCMAKE_C_FLAGS="$warnings" -DCMAKE_CXX_FLAGS="$warnings" -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++
    quietly "building with add_subdirectory" cmake --build "$scratch/tree"
    libdir=$scratch/tree/skua
    for language in c cxx; do
        runs "$scratch/tree/${language}_skua" shared
        runs "$scratch/tree/${language}_skua_static" static
    done
    more=$(find "$scratch/tree/skua" -type f -perm -u+x ! -name 'libskua.so*')
    [ -z "$more" ] || fail "add_subdirectory also built $more"
}

# plain: configured without a preset it is an optimised build, and no warning of a compiler to come stops it
plain()
{
    rm -rf "$scratch/plain"
    quietly "configuring without a preset" cmake -G Ninja -S "$SKUA_SOURCE" -B "$scratch/plain"
    grep '"command".*/src/base/alloc\.c' "$scratch/plain/compile_commands.json" >"$scratch/command" ||
        fail "compile_commands.json does not name src/base/alloc.c"
    grep -q -e ' -O2 .*-DNDEBUG ' "$scratch/command" || fail "without a preset: not -O2 -DNDEBUG: $(cat "$scratch/command")"
    grep -q -e '-Werror' "$scratch/command" && fail "without a preset: -Werror: $(cat "$scratch/command")"
    grep -q -e '-Werror' "$build/compile_commands.json" && fail "the release preset has -Werror"
    return 0
}

# by_make: the Makefile's own install, into a place with a blank in its name, and out of it again
# shellcheck disable=SC2086 # a command of several words
by_make()
{
    root="$scratch/by make"
    rm -rf "$root"
    quietly "make install" make -C "$SKUA_SOURCE" install BUILD="$build" PREFIX="/opt/two words" DESTDIR="$root"
    quietly "running what make installed" "$root/opt/two words/bin/skua" --version
    echo mine >"$root/opt/two words/include/other.h"
    uninstall="make -C $SKUA_SOURCE uninstall BUILD=$build"
    quietly "make uninstall elsewhere" $uninstall PREFIX="/opt/two words" DESTDIR="$root/other"
    grep -q "^nothing of skua is below $root/other/opt/two words\$" "$scratch/log" || fail "make uninstall elsewhere said: $(cat "$scratch/log")"
    quietly "make uninstall" $uninstall PREFIX="/opt/two words" DESTDIR="$root"
    grep -q "^removed [1-9][0-9]* files below $root/opt/two words\$" "$scratch/log" || fail "make uninstall said: $(cat "$scratch/log")"
    (cd "$root/opt/two words" && find . ! -type d) >"$scratch/found"
    echo ./include/other.h >"$scratch/expected"
    same "what make uninstall left" "$scratch/expected" "$scratch/found"
    rest=$(find "$root" -type d -name 'skua*')
    [ -z "$rest" ] || fail "make uninstall left $rest"
    rm "$root/opt/two words/include/other.h"
    $uninstall PREFIX= >"$scratch/log" 2>&1 && fail "make uninstall with an empty PREFIX succeeded"
    grep -q 'PREFIX is empty' "$scratch/log" || fail "make uninstall with an empty PREFIX said: $(cat "$scratch/log")"
    quietly "make uninstall once more" $uninstall PREFIX="/opt/two words" DESTDIR="$root"
    [ ! -e "$root/opt/two words" ] || fail "make uninstall left a prefix with nothing in it"
}

version=$(sed -n 's/^#define SKUA_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' "$SKUA_SOURCE/include/skua/version.h" | paste -sd. -)
count=0
for prefix in /usr/local /usr; do
    # One build, told twice where it will live: nothing is compiled again.
    release_build "$build" -DCMAKE_INSTALL_PREFIX=$prefix
    root=$scratch/root$prefix.staged
    rm -rf "$root" "$scratch/consumer$prefix"
    quietly "installing" env DESTDIR="$root" cmake --install "$build"
    libdir=$(dirname "$(find "$root" -name libskua.a)")
    (cd "$root$prefix" && find . ! -type d) | sed 's|^\./||' | sort >"$scratch/found"
    expected "${libdir#"$root$prefix/"}" >"$scratch/expected"
    same "files installed under $prefix" "$scratch/expected" "$scratch/found"
    outside=$(find "$root" ! -type d | grep -v "^$root$prefix/" || true)
    [ -z "$outside" ] || fail "installed outside $prefix: $outside"
    grep -r -l -F "$scratch" "$root$prefix" --include='*.pc' --include='*.cmake' --include='*.h' >"$scratch/leaks" &&
        fail "an installed file names the build folder: $(cat "$scratch/leaks")"
    quietly "running the installed command" "$root$prefix/bin/skua" --version
    consume
    # The manifest is enough to take it all away again.
    sed "s|^|$root|" "$build/install_manifest.txt" | tr '\n' '\0' | xargs -0 rm -f
    rest=$(find "$root" ! -type d)
    [ -z "$rest" ] || fail "install_manifest.txt does not name $rest"
done
tree
plain
by_make
echo "install: $count consumers ran, from /usr/local, /usr and a folder of their own"
