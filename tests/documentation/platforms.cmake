# SPDX-License-Identifier: MIT
# The table of platforms in docs/installing.md is what these tests say when they have passed. The target platforms writes it
# anew, after `ctest -R documentation/platforms`.
set(tests)
foreach(test bitwise/compilers headers/ziglang bitwise/processors bitwise/webassembly bitwise/windows headers/macos
             microcontroller/cortex_m bitwise/byte_order)
  if(TEST ${test})
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT SINTER_PLATFORMS=${PROJECT_BINARY_DIR}/platforms)
    set_property(TEST ${test} APPEND PROPERTY FIXTURES_SETUP sinter_platforms)
  endif()
  list(APPEND tests ${test})
endforeach()
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/platforms)
find_program(SINTER_PYTHON3 python3)
if(NOT SINTER_PYTHON3)
  sinter_skipped_test(documentation/platforms "documentation;slow" "no python3 found")
  return()
endif()
set(platforms ${SINTER_PYTHON3} ${CMAKE_CURRENT_LIST_DIR}/platforms.py)
set(table ${PROJECT_SOURCE_DIR}/docs/installing.md ${PROJECT_BINARY_DIR}/platforms ${tests})
add_custom_target(platforms COMMAND ${platforms} --write ${table} VERBATIM)
add_test(NAME documentation/platforms COMMAND ${platforms} ${table})
set_tests_properties(documentation/platforms PROPERTIES LABELS "documentation;slow" SKIP_RETURN_CODE 77
                     FIXTURES_REQUIRED sinter_platforms)
add_test(NAME documentation/platforms_stale COMMAND ${platforms} platforms.md platforms board/new board/old
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/fixtures/documentation)
set_tests_properties(documentation/platforms_stale PROPERTIES LABELS documentation PASS_REGULAR_EXPRESSION
                     "^platforms.md: the table of platforms is not what the tests say; expected this row of board/new:\n\
[|] a board [|] a compiler [|] itself [|] others [|] `board/new`, [0-9-]+ [|]\n$")
