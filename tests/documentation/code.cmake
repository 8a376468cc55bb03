# SPDX-License-Identifier: MIT
# The code in README.md and docs/*.md compiles, runs, and is the same as in the examples that it quotes.
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
