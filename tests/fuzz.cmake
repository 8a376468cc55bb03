# SPDX-License-Identifier: MIT
# tests/fuzz/<name>.cpp defines LLVMFuzzerTestOneInput and runs for SINTER_FUZZ_SECONDS under libFuzzer, from the seeds in
# tests/fuzz/<name>/ where there are any.
set(SINTER_FUZZ_SECONDS 10 CACHE STRING "How long each fuzzer runs as a test")

file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*.cpp)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  if(name STREQUAL "inference" AND NOT TARGET sinter_serve)
    sinter_skipped_test(fuzz/${name} fuzz "no nlohmann-json or zlib found; ./setup --serve installs them")
    continue()
  endif()
  if(name STREQUAL "grpc_inference" AND NOT TARGET sinter_serve_protocol)
    sinter_skipped_test(fuzz/${name} fuzz "no grpc++ or protobuf found; ./setup --grpc installs them")
    continue()
  endif()
  add_executable(fuzz.${name} ${source})
  target_compile_options(fuzz.${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(fuzz.${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(fuzz.${name} PRIVATE sinter_own)
  target_include_directories(fuzz.${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/serve)

  if(name STREQUAL "grpc_inference")
    target_link_libraries(fuzz.${name} PRIVATE sinter_serve_protocol)
  endif()

  set(corpus ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${name})
  file(MAKE_DIRECTORY ${corpus})
  set(seeds)
  if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name})
    set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name})
  endif()
  math(EXPR timeout "${SINTER_FUZZ_SECONDS} + 120")
  add_test(NAME fuzz/${name} COMMAND fuzz.${name} -max_total_time=${SINTER_FUZZ_SECONDS} -print_final_stats=1 ${corpus} ${seeds}
           WORKING_DIRECTORY ${corpus})
  set_tests_properties(fuzz/${name} PROPERTIES LABELS fuzz TIMEOUT ${timeout})
endforeach()
