set(VCPKG_BUILD_TYPE release) # headers only

vcpkg_download_distfile(archive
    URLS "@url@/sinter-@version@.tar.gz"
    FILENAME "sinter-@version@.tar.gz"
    SHA512 @sha512@
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")

vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DSINTER_BUILD_TESTS=OFF
        -DSINTER_BUILD_EXAMPLES=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/sinter)
vcpkg_fixup_pkgconfig()

file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
