# SPDX-License-Identifier: MIT
# The code in README.md and docs/*.md compiles, runs, and is the same as in the examples that it quotes; links lead somewhere.
set(folder ${CMAKE_CURRENT_LIST_DIR})
file(GLOB documents CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/*.md
     ${PROJECT_SOURCE_DIR}/docs/tutorials/*.md)
list(REMOVE_ITEM documents README.md)
list(PREPEND documents README.md)  # its declarations come first
add_test(NAME documentation/snippets
         COMMAND ${folder}/snippets.sh ${PROJECT_BINARY_DIR}/documentation ${SINTER_MNIST_SUBSET} ${documents})
set_tests_properties(documentation/snippets PROPERTIES LABELS "documentation;slow;change" TIMEOUT 600 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")

# The tutorial with a library: its files, its commands and their output.
find_program(SINTER_PYTHON3 python3)
if(SINTER_PYTHON3)
  add_test(NAME documentation/python_tutorial
           COMMAND ${folder}/files.sh ${PROJECT_BINARY_DIR}/python_tutorial ${SINTER_MNIST_SUBSET} docs/tutorials/python.md)
  set_tests_properties(documentation/python_tutorial PROPERTIES LABELS "documentation;slow" TIMEOUT 600)
else()
  sinter_skipped_test(documentation/python_tutorial "documentation;slow" "no python3 found")
endif()

file(GLOB documents CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/*.md ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/docs/*/*.md
     ${PROJECT_SOURCE_DIR}/examples/data/*.md ${PROJECT_SOURCE_DIR}/bench/results/*.md)
add_test(NAME documentation/links COMMAND ${folder}/links.sh ${documents} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
add_test(NAME documentation/links_broken COMMAND ${folder}/links.sh links.md
         WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/tests/fixtures/documentation)
set_tests_properties(documentation/links_broken PROPERTIES PASS_REGULAR_EXPRESSION
                     "^links.md:3: no such file: other.md\nlinks.md:3: no heading #elsewhere in links.md\n4 links looked at\n$")
set_tests_properties(documentation/links documentation/links_broken PROPERTIES LABELS documentation)

include(${folder}/public_names.cmake)

# The API reference, and what its test must refuse.
find_program(SINTER_DOXYGEN doxygen)
if(SINTER_DOXYGEN)
  set(reference ${folder}/reference.sh ${SINTER_DOXYGEN})
  add_custom_target(reference COMMAND ${reference} ${PROJECT_BINARY_DIR}/reference VERBATIM)
  add_test(NAME documentation/reference COMMAND ${reference} ${PROJECT_BINARY_DIR}/reference)
  add_test(NAME documentation/reference_refused
           COMMAND ${reference} ${PROJECT_BINARY_DIR}/reference_refused tests/fixtures/documentation/Doxyfile)
  set_tests_properties(documentation/reference documentation/reference_refused PROPERTIES LABELS documentation)
  set_tests_properties(documentation/reference_refused PROPERTIES PASS_REGULAR_EXPRESSION
    "undocumented.hpp:11: warning: unable to resolve reference to 'nothing_of_that_name'[^\n]*\n[^\n]*:13: warning: Member undocumented[^\n]*\n$")
else()
  sinter_skipped_test(documentation/reference documentation "no doxygen found; ./setup --ci installs it")
endif()
