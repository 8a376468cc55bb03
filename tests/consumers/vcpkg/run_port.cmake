# SPDX-License-Identifier: MIT
# The functions that sinter's port calls, as https://learn.microsoft.com/vcpkg/maintainers/functions describes them; a download
# is a file of the folder RELEASE.
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_download_distfile result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILENAME;SHA512" "URLS")
  if(NOT arg_URLS MATCHES "^https://.*/${arg_FILENAME}$")
    message(FATAL_ERROR "${arg_URLS} is no address of ${arg_FILENAME}")
  endif()
  file(SHA512 ${RELEASE}/${arg_FILENAME} sum)
  if(NOT sum STREQUAL arg_SHA512)
    message(FATAL_ERROR "${arg_FILENAME} has another checksum than the port says")
  endif()
  set(${result} ${RELEASE}/${arg_FILENAME} PARENT_SCOPE)
endfunction()

function(vcpkg_extract_source_archive result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCHIVE" "")
  file(ARCHIVE_EXTRACT INPUT ${arg_ARCHIVE} DESTINATION ${CURRENT_BUILDTREES_DIR}/src)
  file(GLOB top ${CURRENT_BUILDTREES_DIR}/src/*)  # the archive has one folder, which is left out
  set(${result} ${top} PARENT_SCOPE)
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${CURRENT_BUILDTREES_DIR}/release -D CMAKE_BUILD_TYPE=Release
      -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -D BUILD_SHARED_LIBS=OFF ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run(${CMAKE_COMMAND} --build ${CURRENT_BUILDTREES_DIR}/release --target install)
endfunction()

# Moves CMake's files to share/<port>, and their parent away if its name is cmake; what they say of their depth is corrected.
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  file(COPY ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/ DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT})
  file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH})
  cmake_path(GET arg_CONFIG_PATH PARENT_PATH parent)
  if(parent MATCHES "/cmake$")
    file(REMOVE_RECURSE ${CURRENT_PACKAGES_DIR}/${parent})
  endif()
  file(GLOB files ${CURRENT_PACKAGES_DIR}/share/${PORT}/*.cmake)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(REPLACE "\${CMAKE_CURRENT_LIST_DIR}/../../../" "\${CMAKE_CURRENT_LIST_DIR}/../../" text "${text}")
    string(REGEX REPLACE "(get_filename_component\\(_IMPORT_PREFIX \"\\\${_IMPORT_PREFIX}\" PATH\\)\n)+"
           "get_filename_component(_IMPORT_PREFIX \"\${CMAKE_CURRENT_LIST_DIR}/../..\" ABSOLUTE)\n" text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endfunction()

function(vcpkg_fixup_pkgconfig)  # sinter.pc names no folder
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  file(COPY_FILE ${arg_FILE_LIST} ${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright)
endfunction()

include(${CURRENT_PORT_DIR}/portfile.cmake)
