# SPDX-License-Identifier: MIT
# The code in README.md and docs/*.md compiles, runs, and is the same as in the examples that it quotes.
file(GLOB documents CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/*.md)
foreach(document IN LISTS documents)
  cmake_path(GET document STEM name)
  add_test(NAME documentation/${name}
           COMMAND ${CMAKE_CURRENT_LIST_DIR}/snippets.sh ${document} ${PROJECT_BINARY_DIR}/documentation/${name} ${SINTER_MNIST_SUBSET})
  set_tests_properties(documentation/${name} PROPERTIES LABELS documentation TIMEOUT 600 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endforeach()
