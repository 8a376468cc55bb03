# SPDX-License-Identifier: MIT
# Included by tests/CMakeLists.txt: adds the tests. Run as `cmake -D ROOT=<folder> -P header_size.cmake`: fails if a line of a
# header has more than 120 columns (clang-format wraps code, but neither comments nor texts), or a header more than 350 lines.
set(most_columns 120)
set(most_lines 350)
include(${CMAKE_CURRENT_LIST_DIR}/read_headers.cmake)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(planted ${CMAKE_CURRENT_BINARY_DIR}/header_size)
  string(REPEAT "x" 117 wide)
  string(REPEAT "//\n" ${most_lines} long)
  file(WRITE ${planted}/at_most.hpp "// ${wide}\n\n")
  file(WRITE ${planted}/at_most_lines.hpp "${long}")
  file(WRITE ${planted}/folder/too_long.hpp "${long}\n")
  file(WRITE ${planted}/folder/too_wide.cuh "#pragma once\n/// ${wide}\n")
  sinter_script_test(header_size ${PROJECT_SOURCE_DIR}/include ${planted}
                     "^folder/too_long.hpp has 351 lines.*folder/too_wide.cuh:2 has 121 columns.*2 too large")
  return()
endif()

cmake_policy(VERSION 3.25)
sinter_find_headers(headers)
foreach(header IN LISTS headers)
  sinter_read_lines(lines ${header})
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    string(LENGTH "${line}" columns)
    if(columns GREATER most_columns)
      sinter_wrong("${header}:${number} has ${columns} columns, expected at most ${most_columns}: wrap it")
    endif()
  endforeach()
  math(EXPR number "${number} - 1")  # the last line ends, and nothing follows
  if(number GREATER most_lines)
    sinter_wrong("${header} has ${number} lines, expected at most ${most_lines}: give each concept a file")
  endif()
endforeach()
sinter_end("too large")
