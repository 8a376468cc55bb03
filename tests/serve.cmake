# SPDX-License-Identifier: MIT
# sinter-serve, asked by Python's standard library: good requests, bad ones, and what ends it; by a browser; and by the clients of others.
find_program(SINTER_PYTHON3 python3)
if(NOT TARGET sinter_serve)
  sinter_skipped_test(serve/http serve "no nlohmann-json or zlib found; ./setup --serve installs them")
elseif(NOT SINTER_PYTHON3)
  sinter_skipped_test(serve/http serve "no python3 found")
else()
  set(server ${CMAKE_CURRENT_SOURCE_DIR}/serve/server)
  set_target_properties(sinter_serve PROPERTIES EXCLUDE_FROM_ALL OFF)
  sinter_add_model_library(served ${server}/served.cpp)
  sinter_add_model_library(served_heads ${server}/served_heads.cpp)
  add_dependencies(served served_heads)
  add_executable(serve.weights ${server}/weights.cpp)
  target_link_libraries(serve.weights PRIVATE sinter::sinter)
  target_compile_options(sinter_serve PRIVATE -O1)
  target_compile_options(serve.weights PRIVATE -O1)
  set(programs $<TARGET_FILE:sinter_serve> $<TARGET_FILE:served> $<TARGET_FILE:serve.weights>)
  add_test(NAME serve/http COMMAND ${SINTER_PYTHON3} ${server}/ask.py ${programs} ${CMAKE_CURRENT_BINARY_DIR}/serve_http)
  set(own serve/http)
  foreach(name hostile pressed ending)
    add_test(NAME serve/${name} COMMAND ${SINTER_PYTHON3} ${server}/${name}.py ${programs} ${CMAKE_CURRENT_BINARY_DIR}/serve_${name})
    list(APPEND own serve/${name})
  endforeach()
  add_test(NAME serve/deployed COMMAND ${server}/deployed.sh $<TARGET_FILE:sinter_serve> ${CMAKE_CURRENT_BINARY_DIR}/serve_deployed)
  set_tests_properties(${own} PROPERTIES LABELS serve TIMEOUT 300)
  if(SINTER_SANITIZE)  # they check the server and its queues; the model is compiled as for users
    target_link_libraries(sinter_serve PRIVATE sinter_own)
    add_dependencies(label.threads sinter_serve served serve.weights)
    set(options "TSAN_OPTIONS=halt_on_error=1 die_after_fork=0 ignore_noninstrumented_modules=1")  # zlib and gRPC are not compiled here
    set_tests_properties(${own} PROPERTIES LABELS "serve;threads" ENVIRONMENT "SINTER_SANITIZED=1;${options}")
  endif()
  set_tests_properties(serve/deployed PROPERTIES LABELS "serve;slow" TIMEOUT 300)

  find_program(SINTER_CHROMIUM NAMES chromium chromium-browser google-chrome)
  if(SINTER_CHROMIUM)
    add_test(NAME serve/page COMMAND ${SINTER_PYTHON3} ${server}/page.py ${programs} ${CMAKE_CURRENT_BINARY_DIR}/serve_page ${SINTER_CHROMIUM})
    set_tests_properties(serve/page PROPERTIES LABELS "serve;slow" TIMEOUT 300)
  else()
    sinter_skipped_test(serve/page "serve;slow" "no Chromium found; ./setup --ci installs it")
  endif()
endif()

# sinter_client_test(<name> "<module>..")
function(sinter_client_test name modules)
  if(NOT TARGET sinter_serve_protocol OR NOT SINTER_PYTHON3)
    sinter_skipped_test(serve/${name} serve "no gRPC, protobuf or python3 found; ./setup --grpc installs them")
    return()
  endif()
  add_test(NAME serve/${name}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/io/pytorch/python.sh ${modules} ${CMAKE_CURRENT_SOURCE_DIR}/serve/server/clients.py
           $<TARGET_FILE:sinter_serve> $<TARGET_FILE:served> $<TARGET_FILE:serve.weights>
           ${CMAKE_CURRENT_BINARY_DIR}/serve_${name} ${name})
  set_tests_properties(serve/${name} PROPERTIES LABELS "serve;slow" SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()
sinter_client_test(triton "tritonclient.grpc tritonclient.http")
sinter_client_test(kserve kserve)

add_test(NAME serve/lacking
         COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${CMAKE_CURRENT_BINARY_DIR}/serve_lacking -G ${CMAKE_GENERATOR}
         -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -D SINTER_SERVE=ON -D SINTER_BUILD_TESTS=OFF -D SINTER_BUILD_EXAMPLES=OFF
         -D SINTER_CUDA=OFF -D CMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
set_tests_properties(serve/lacking PROPERTIES LABELS serve PASS_REGULAR_EXPRESSION "sinter-serve needs zlib and nlohmann-json.*setup --serve")
