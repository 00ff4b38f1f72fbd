# install.cmake — headers, both libraries, the command, man pages, pkg-config and CMake packages
include(CMakePackageConfigHelpers)

install(DIRECTORY include/skua DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
set_target_properties(skua_shared PROPERTIES EXPORT_NAME skua)
install(TARGETS skua_shared skua_static EXPORT skua_targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS skua_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(section 1 3 7)
    file(GLOB pages CONFIGURE_DEPENDS docs/man/*.${section})
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
endforeach()

# `man skua_go` shows skua_group(3): a page of one line for every other name that a page describes.
file(GLOB pages CONFIGURE_DEPENDS docs/man/*.3)
foreach(page ${pages})
    get_filename_component(page_name ${page} NAME)
    file(STRINGS ${page} names REGEX "^\\.Nm [A-Za-z_0-9]+")
    foreach(name ${names})
        string(REGEX REPLACE "^\\.Nm ([A-Za-z_0-9]+).*" "\\1.3" link ${name})
        if(NOT EXISTS ${PROJECT_SOURCE_DIR}/docs/man/${link})
            file(WRITE ${PROJECT_BINARY_DIR}/man/${link} ".so man3/${page_name}\n")
            list(APPEND links ${PROJECT_BINARY_DIR}/man/${link})
        endif()
    endforeach()
endforeach()
list(REMOVE_DUPLICATES links)
install(FILES ${links} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)

# pkg-config skua: the prefix is found from the file itself, so a moved or staged install works too.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/skua.pc.in skua.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/skua.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(skua): skua::skua is the shared library, skua::skua_static the archive.
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skua)
install(EXPORT skua_targets NAMESPACE skua:: DESTINATION ${package_dir} FILE skuaTargets.cmake)
file(WRITE ${PROJECT_BINARY_DIR}/skuaConfig.cmake
    "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\n"
    "include(\${CMAKE_CURRENT_LIST_DIR}/skuaTargets.cmake)\n")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skuaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skuaConfig.cmake ${PROJECT_BINARY_DIR}/skuaConfigVersion.cmake
    DESTINATION ${package_dir})
