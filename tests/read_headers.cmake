# SPDX-License-Identifier: MIT
# For scripts that read headers as text: tests/header_size.cmake, tests/includes_one_way.cmake.

# sinter_script_test(name root planted control_says): adds the test `name`, which runs tests/<name>.cmake on the headers of
# `root`, and name/control, which runs it on those that it has planted, and must print what matches `control_says`.
function(sinter_script_test name root planted control_says)
  set(script ${CMAKE_CURRENT_LIST_DIR}/${name}.cmake)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -D ROOT=${root} -P ${script})
  add_test(NAME ${name}/control COMMAND ${CMAKE_COMMAND} -D ROOT=${planted} -P ${script})
  set_tests_properties(${name}/control PROPERTIES PASS_REGULAR_EXPRESSION "${control_says}")
endfunction()

# sinter_find_headers(variable): the headers below ROOT with the bodies of their functions, named from there.
function(sinter_find_headers variable)
  file(REAL_PATH ${ROOT} root)
  file(GLOB_RECURSE headers RELATIVE ${root} ${root}/*.hpp ${root}/*.ipp ${root}/*.cuh)
  if(NOT headers)
    message(FATAL_ERROR "no headers in ${root}")
  endif()
  set(${variable} ${headers} PARENT_SCOPE)
endfunction()

# sinter_read_lines(variable header): its lines as a list, with another character for each that a list has a use for.
function(sinter_read_lines variable header)
  file(READ ${ROOT}/${header} text)
  string(REGEX REPLACE "[][;]" "," text "${text}")
  string(REPLACE "\\" "/" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

# sinter_wrong(text): prints it, and counts it for sinter_end(what), which fails if there was any.
set_property(GLOBAL PROPERTY sinter_wrong 0)
function(sinter_wrong text)
  message("${text}")
  get_property(wrong GLOBAL PROPERTY sinter_wrong)
  math(EXPR wrong "${wrong} + 1")
  set_property(GLOBAL PROPERTY sinter_wrong ${wrong})
endfunction()
function(sinter_end what)
  get_property(wrong GLOBAL PROPERTY sinter_wrong)
  if(wrong)
    message(FATAL_ERROR "${wrong} ${what}")
  endif()
endfunction()
