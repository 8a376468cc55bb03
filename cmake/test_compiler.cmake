# SPDX-License-Identifier: MIT
# The toolchain of the preset `test`: clang 19 with sanitizers, which takes less time than g++ without. Where it or its
# runtime is not there, or $CXX or CMAKE_CXX_COMPILER asks for another, that compiler without sanitizers.
include_guard(GLOBAL)  # CMake reads it twice
if(CMAKE_CXX_COMPILER OR DEFINED ENV{CXX})
  return()
endif()
find_program(SINTER_CLANG clang++-19)
set(program "echo 'int main() {}' | '${SINTER_CLANG}' -fsanitize=address,undefined -x c++ -o /dev/null -")
execute_process(COMMAND sh -c "${program}" RESULT_VARIABLE lacking OUTPUT_QUIET ERROR_QUIET)
if(lacking)
  message(STATUS "sinter: no clang++-19 with sanitizers found, so the default compiler builds the tests, and no "
                 "sanitizer watches them; ./setup installs both")
  return()
endif()
set(CMAKE_CXX_COMPILER ${SINTER_CLANG})
set(SINTER_SANITIZE address,undefined CACHE STRING "Sanitizers for our programs, as -fsanitize= takes them")
set(SINTER_BUILD_FUZZERS ON CACHE BOOL "Build tests/fuzz (clang)")
set(SINTER_WARNINGS ON CACHE BOOL "Build our programs with many warnings, each an error")  # this compiler gives none
