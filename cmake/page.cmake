# page.cmake — the target `page`: skua_page.html, where what it needs is found, and its place in the command
find_program(NODE node)
find_program(WASM_CLANG NAMES clang clang-14)
find_program(WASM_LD NAMES wasm-ld wasm-ld-14)

set(page_lacks "")
foreach(program NODE WASM_CLANG WASM_LD)
    if(NOT ${program})
        string(TOLOWER "${program}" name)
        string(REPLACE "wasm_ld" "wasm-ld (package lld-14)" name "${name}")
        string(REPLACE "wasm_clang" "clang" name "${name}")
        list(APPEND page_lacks "${name}")
    endif()
endforeach()
# clang may have been built without that target
if(WASM_CLANG)
    execute_process(COMMAND ${WASM_CLANG} --print-targets OUTPUT_VARIABLE clang_targets ERROR_QUIET)
    if(NOT clang_targets MATCHES "wasm32")
        list(APPEND page_lacks "clang for wasm32")
    endif()
endif()
# esbuild in just the version of the lock file: tools/setup copies that beside what it installed
set(page_modules ${PROJECT_SOURCE_DIR}/build/web/node_modules)
set(page_has "")
if(EXISTS ${page_modules}/.from)
    file(READ ${page_modules}/.from page_has)
endif()
file(READ ${PROJECT_SOURCE_DIR}/web/package-lock.json page_wants)
if(NOT page_has STREQUAL page_wants)
    list(APPEND page_lacks "esbuild in build/web")
endif()

if(CMAKE_CROSSCOMPILING)
    set(page_lacks "page in a build for another machine")
endif()
if(page_lacks)
    list(JOIN page_lacks ", " page_lacks)
    # `make` shows what is on standard error only; once is enough for the same news
    if(NOT page_lacks STREQUAL SKUA_PAGE_TOLD)
        message(NOTICE "The page is not built: no ${page_lacks}; tools/setup test installs it")
    endif()
    set(SKUA_PAGE_TOLD "${page_lacks}" CACHE INTERNAL "what the page lacks, as told")
    file(CONFIGURE OUTPUT skua_page.c @ONLY CONTENT [[
#include <stddef.h>
extern const unsigned char skua_page[];
extern const size_t skua_page_bytes;
extern const char skua_page_lacks[];
const unsigned char skua_page[] = { 0 };
const size_t skua_page_bytes = 0;
const char skua_page_lacks[] = "@page_lacks@";
]])
else()
    file(GLOB page_sources CONFIGURE_DEPENDS web/page/* web/sim/* web/wasm/* web/wasm/libc/*)
    file(GLOB page_engine CONFIGURE_DEPENDS tool/sim/sim*.[ch])
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/skua_page.html
        COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/web/build.js --out ${PROJECT_BINARY_DIR}/skua_page.html
            --modules ${page_modules} --clang ${WASM_CLANG} --linker ${WASM_LD}
        DEPENDS ${page_sources} web/build.js web/shared.css web/package-lock.json src/sched/deque.c
            src/base/atomic.h src/base/atomic_model.h include/skua/deque.h
            ${page_engine} src/sched/turns.h bench/work/sha1.c
        COMMENT "Making skua_page.html" VERBATIM)
    add_custom_target(page ALL DEPENDS ${PROJECT_BINARY_DIR}/skua_page.html)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/skua_page.c
        COMMAND ${CMAKE_COMMAND} -DFROM=${PROJECT_BINARY_DIR}/skua_page.html -DTO=${PROJECT_BINARY_DIR}/skua_page.c
            -DNAME=skua_page -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
        DEPENDS ${PROJECT_BINARY_DIR}/skua_page.html cmake/embed.cmake
        COMMENT "Putting skua_page.html into the command" VERBATIM)
endif()
target_sources(skua_command PRIVATE ${PROJECT_BINARY_DIR}/skua_page.c)
