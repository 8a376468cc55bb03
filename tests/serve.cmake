# SPDX-License-Identifier: MIT
# sinter-serve, asked by Python's standard library: good requests, bad ones, and what ends it.
find_program(SINTER_PYTHON3 python3)
if(NOT TARGET sinter_serve)
  sinter_skipped_test(serve/http serve "no cpp-httplib, nlohmann-json or pkg-config found; ./setup --serve installs them")
elseif(NOT SINTER_PYTHON3)
  sinter_skipped_test(serve/http serve "no python3 found")
else()
  set(server ${CMAKE_CURRENT_SOURCE_DIR}/serve/server)
  set_target_properties(sinter_serve PROPERTIES EXCLUDE_FROM_ALL OFF)
  sinter_add_model_library(served ${server}/served.cpp)
  add_executable(serve.weights ${server}/weights.cpp)
  target_link_libraries(serve.weights PRIVATE sinter::sinter)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(sinter_serve PRIVATE -O1)
    target_compile_options(serve.weights PRIVATE -O1)
  endif()
  add_test(NAME serve/http COMMAND ${SINTER_PYTHON3} ${server}/ask.py $<TARGET_FILE:sinter_serve> $<TARGET_FILE:served>
           $<TARGET_FILE:serve.weights> ${CMAKE_CURRENT_BINARY_DIR}/serve_http)
  set_tests_properties(serve/http PROPERTIES LABELS serve TIMEOUT 300)
endif()

add_test(NAME serve/lacking
         COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${CMAKE_CURRENT_BINARY_DIR}/serve_lacking -G ${CMAKE_GENERATOR}
         -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -D SINTER_SERVE=ON -D SINTER_BUILD_TESTS=OFF -D SINTER_BUILD_EXAMPLES=OFF
         -D SINTER_CUDA=OFF -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
set_tests_properties(serve/lacking PROPERTIES LABELS serve PASS_REGULAR_EXPRESSION "sinter-serve needs cpp-httplib.*setup --serve")
