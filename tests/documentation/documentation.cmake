# SPDX-License-Identifier: MIT
# Links in the documents lead somewhere, public names are on a page, and the API reference has no warnings.
set(folder ${CMAKE_CURRENT_LIST_DIR})
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
