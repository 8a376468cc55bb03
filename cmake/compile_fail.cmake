# SPDX-License-Identifier: MIT
# cmake -D COMMAND="<compiler and flags>" -D SOURCE=<file> -P compile_fail.cmake
# Passes if SOURCE does not compile, the compiler prints every text of its "// expected: text" lines, and at most 12 lines.
set(most_lines 12)

function(refuse text)
  message("${text}")
  message(FATAL_ERROR "refused")
endfunction()

file(STRINGS ${SOURCE} expected REGEX "^// expected: ")
if(NOT expected)
  refuse("${SOURCE}: no line '// expected: text'")
endif()

execute_process(COMMAND ${COMMAND} ${SOURCE} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(result EQUAL 0)
  refuse("${SOURCE}: compiles, but must not")
endif()
if(NOT result EQUAL 1)
  refuse("${SOURCE}: the compiler could not run: ${result}\n${output}")
endif()

foreach(line IN LISTS expected)
  string(REGEX REPLACE "^// expected: " "" text "${line}")
  string(FIND "${output}" "${text}" at)
  if(at EQUAL -1)
    refuse("${SOURCE}: expected in the compiler's output: ${text}\n${output}")
  endif()
endforeach()

string(REGEX MATCHALL "\n" ends "${output}")
list(LENGTH ends lines)
string(REGEX MATCHALL "[^\n]*/compile_fail_precompiled/[^\n]*\n" precompiled "${output}")  # which users have not
list(LENGTH precompiled fewer)
math(EXPR lines "${lines} - ${fewer}")
string(REGEX MATCHALL "from [^\n]*/sinter/sinter[.]cuh:[0-9]+[:,]\n" outer "${output}")  # by it, each header is included from one more
list(LENGTH outer fewer)
math(EXPR lines "${lines} - ${fewer}")
if(INCLUDER_LEFT_OUT)  # of a header that was precompiled g++ does not say, as it does to users, where it was included
  string(REGEX MATCHALL "from [^\n]*/sinter/sinter[.]hpp:[0-9]+:\n" left_out "${output}")
  list(LENGTH left_out more)
  math(EXPR lines "${lines} + ${more}")
endif()
if(lines GREATER most_lines)
  refuse("${SOURCE}: the compiler printed ${lines} lines, at most ${most_lines} are allowed\n${output}")
endif()
