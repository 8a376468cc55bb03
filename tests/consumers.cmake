# SPDX-License-Identifier: MIT
# Five ways for another project to use sinter, each building and running tests/consumers/main.cpp.
set(consumers ${CMAKE_CURRENT_BINARY_DIR}/consumers)
set(stage ${consumers}/stage)

add_test(NAME consumers/install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${stage})
set_tests_properties(consumers/install PROPERTIES FIXTURES_SETUP sinter_stage LABELS consumers)

function(sinter_consumer name)
  add_test(NAME consumers/${name}
           COMMAND ${CMAKE_CTEST_COMMAND}
           --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${name} ${consumers}/${name}
           --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${ARGN}
           --test-command ${consumers}/${name}/consumer)
  set_tests_properties(consumers/${name} PROPERTIES LABELS consumers TIMEOUT 600)
endfunction()
sinter_consumer(find_package -DCMAKE_PREFIX_PATH=${stage})
set_tests_properties(consumers/find_package PROPERTIES FIXTURES_REQUIRED sinter_stage)
sinter_consumer(add_subdirectory)
sinter_consumer(fetch_content -DFETCHCONTENT_SOURCE_DIR_SINTER=${PROJECT_SOURCE_DIR})

foreach(script bare conan)
  add_test(NAME consumers/${script} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${script}.sh ${consumers}/${script})
  set_tests_properties(consumers/${script} PROPERTIES LABELS consumers SKIP_RETURN_CODE 77 TIMEOUT 900
                       ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endforeach()
