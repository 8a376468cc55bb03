# SPDX-License-Identifier: MIT
# tests/compile_fail/<name>.cpp must not compile, with the text of its "// expected: .." lines; see cmake/compile_fail.cmake.
set(compile ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -I ${PROJECT_SOURCE_DIR}/include)
function(sinter_compile_fail name source)
  add_test(NAME compile_fail/${name}
           COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${compile}" -DSOURCE=${source} -P ${PROJECT_SOURCE_DIR}/cmake/compile_fail.cmake)
  set_tests_properties(compile_fail/${name} PROPERTIES LABELS compile_fail TIMEOUT 300)
endfunction()

file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/compile_fail/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  sinter_compile_fail(${name} ${source})
endforeach()

# What the first line says to a compiler that cannot compile the rest: by any of the headers, for compilers by what they call
# themselves.
set(old ${CMAKE_CURRENT_BINARY_DIR}/compile_fail_old)
function(sinter_compile_fail_old name text before)
  foreach(header IN ITEMS sinter io inference library)
    file(CONFIGURE OUTPUT ${old}/${name}_${header}.cpp @ONLY CONTENT "// expected: ${text}\n${before}#include <sinter/${header}.hpp>\n")
    sinter_compile_fail(${name}_${header} ${old}/${name}_${header}.cpp)
  endforeach()
endfunction()
set(modern ${compile})
list(TRANSFORM compile REPLACE "^-std=c.*" "-std=c++17")
sinter_compile_fail_old(standard "sinter needs C++20: compile with -std=c++20" "")
set(compile ${modern})
sinter_compile_fail_old(msvc "sinter: MSVC is not supported" "#undef __clang__\n#define _MSC_VER 1940\n")
sinter_compile_fail_old(clang_14 "sinter needs clang 18 or newer"
                        "#undef __clang__\n#undef __clang_major__\n#define __clang__ 1\n#define __clang_major__ 14\n")
sinter_compile_fail_old(gcc_11 "sinter needs g++ 12 or newer, or clang 18" "#undef __clang__\n#undef __GNUC__\n#define __GNUC__ 11\n")

# The runner itself: one file that passes, and the ways in which it must refuse.
set(controls ${CMAKE_CURRENT_BINARY_DIR}/compile_fail_controls)
function(sinter_compile_fail_control name refusal text)
  file(CONFIGURE OUTPUT ${controls}/${name}.cpp CONTENT "${text}" @ONLY)
  sinter_compile_fail(control_${name} ${controls}/${name}.cpp)
  if(refusal)
    set_tests_properties(compile_fail/control_${name} PROPERTIES PASS_REGULAR_EXPRESSION "${refusal}")
  endif()
endfunction()
string(REPEAT "static_assert(sizeof(int) == 1, \"wrong\");\n" 5 five_errors)
sinter_compile_fail_control(passes "" "// expected: wrong\nstatic_assert(sizeof(int) == 1, \"wrong\");\n")
sinter_compile_fail_control(compiles "compiles, but must not" "// expected: wrong\nint x;\n")
sinter_compile_fail_control(other_text "expected in the compiler" "// expected: right\nstatic_assert(sizeof(int) == 1, \"wrong\");\n")
sinter_compile_fail_control(long "lines, at most" "// expected: wrong\n${five_errors}")
sinter_compile_fail_control(nothing_expected "no line '// expected: text'" "static_assert(sizeof(int) == 1);\n")
