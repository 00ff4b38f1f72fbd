# page.cmake — the target `page`: skua_page.html, where node, clang for wasm32, wasm-ld and esbuild are found
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

if(page_lacks)
    list(JOIN page_lacks ", " page_lacks)
    message(STATUS "The page is not built: no ${page_lacks}; tools/setup test installs it")
else()
    file(GLOB page_sources CONFIGURE_DEPENDS web/page/* web/wasm/* web/wasm/libc/*)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/skua_page.html
        COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/web/build.js --out ${PROJECT_BINARY_DIR}/skua_page.html
            --modules ${page_modules} --clang ${WASM_CLANG} --linker ${WASM_LD}
        DEPENDS ${page_sources} web/build.js web/package-lock.json src/sched/deque.c
            src/base/atomic.h src/base/atomic_model.h include/skua/deque.h
        COMMENT "Making skua_page.html" VERBATIM)
    add_custom_target(page ALL DEPENDS ${PROJECT_BINARY_DIR}/skua_page.html)
endif()
