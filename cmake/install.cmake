# SPDX-License-Identifier: MIT
# find_package(sinter) for others: headers, exported target, config and version files.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/sinter)
install(TARGETS sinter EXPORT sinter_targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sinter_targets NAMESPACE sinter:: FILE sinter-targets.cmake DESTINATION ${package_dir})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sinter-config.cmake.in
                              ${PROJECT_BINARY_DIR}/package/sinter-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/sinter-config-version.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/package/sinter-config.cmake ${PROJECT_BINARY_DIR}/package/sinter-config-version.cmake
        DESTINATION ${package_dir})
