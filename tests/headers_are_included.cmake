# SPDX-License-Identifier: MIT
# Included by tests/CMakeLists.txt: adds the tests. Run as `cmake -D ROOT=<folder> -P headers_are_included.cmake`: fails if
# no other header includes one that is in a folder, so that no layer, loss or optimizer is missing in sinter.hpp.
set(included_by_programs kernels/engine.hpp train/check_gradient.hpp)
include(${CMAKE_CURRENT_LIST_DIR}/read_headers.cmake)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(planted ${CMAKE_CURRENT_BINARY_DIR}/headers_are_included)
  file(WRITE ${planted}/sinter.hpp "#include <sinter/layers/linear.hpp>\n  #  include \"sinter/loss/mse.hpp\"\n")
  foreach(header layers/linear layers/lstm loss/mse loss/mse_of_images)
    file(WRITE ${planted}/${header}.hpp "#include \"sinter/${header}.hpp\"\n")
  endforeach()
  sinter_script_test(headers_are_included ${PROJECT_SOURCE_DIR}/include/sinter ${planted}
                     "layers/lstm.hpp is included by no.*loss/mse_of_images.hpp is included by no.*2 left out")
  return()
endif()

cmake_policy(VERSION 3.25)
sinter_find_headers(headers)
foreach(header IN LISTS headers)
  sinter_read_lines(lines ${header})
  list(FILTER lines INCLUDE REGEX "^ *# *include [<\"]sinter/")
  list(TRANSFORM lines REPLACE "^[^<\"]*.sinter/([^>\"]*).*" "\\1")
  list(REMOVE_ITEM lines ${header})
  list(APPEND included ${lines})
endforeach()
foreach(header IN LISTS headers)
  if(header MATCHES "/" AND NOT header IN_LIST included AND NOT header IN_LIST included_by_programs)
    sinter_wrong("${header} is included by no other header: add it to layers/all.hpp, sinter.hpp or what needs it")
  endif()
endforeach()
sinter_end("left out")
