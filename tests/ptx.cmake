# SPDX-License-Identifier: MIT
# Included by tests/CMakeLists.txt: the kernels that nvcc compiles are run without a GPU, instruction by instruction, by the
# interpreter of PTX in support/ptx, and compared bit for bit with the host executor.
if(NOT SINTER_CUDA)
  return()
endif()
set(ptx_tests networks sample faults counts functions thrust)
if(NOT SINTER_NVCC OR NOT CUDAToolkit_FOUND)
  foreach(test IN LISTS ptx_tests)
    sinter_skipped_test(ptx/${test} "ptx;nvcc" "no nvcc found; install the CUDA toolkit or put nvcc on PATH")
  endforeach()
  return()
endif()

add_custom_target(ptx.programs)
add_library(sinter_ptx_gpu STATIC EXCLUDE_FROM_ALL support/ptx/gpu.cpp support/ptx/fat_binary.cpp)
target_link_libraries(sinter_ptx_gpu PUBLIC sinter_ptx sinter_fake_cuda)

# sinter_ptx_program(<name> <source> option...): tests/ptx/<source>.cu by nvcc, for a GPU that its PTX alone is kept of.
function(sinter_ptx_program name source)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/ptx/${source}.cu)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/ptx/${name}.o)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/ptx
    COMMAND ${CMAKE_CUDA_COMPILER_LAUNCHER} ${SINTER_NVCC} -std=c++20 -O1 -arch=compute_90 -code=compute_90 --no-compress
            -Werror all-warnings -I ${PROJECT_SOURCE_DIR}/include -I ${CMAKE_CURRENT_SOURCE_DIR}
            -I ${PROJECT_SOURCE_DIR}/bench/cuda ${ARGN} -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_executable(ptx.${name} EXCLUDE_FROM_ALL ${object})
  set_target_properties(ptx.${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(ptx.${name} PRIVATE sinter_ptx_gpu)
  add_dependencies(ptx.programs ptx.${name})
endfunction()
set(options_of_functions)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(options_of_functions -Xcompiler -mfma)  # its host side has fma as GPUs have it
endif()
foreach(test faults counts functions thrust)
  sinter_ptx_program(${test} ${test} ${options_of_${test}})
endforeach()

# Networks by nvcc, and by g++ with fma as GPUs have it. A sample of them is for .ci/run.
set_source_files_properties(ptx/networks.cu PROPERTIES LANGUAGE CXX)
function(sinter_ptx_networks name)
  sinter_ptx_program(${name} networks ${ARGN})
  add_executable(ptx.${name}_on_host EXCLUDE_FROM_ALL ptx/networks.cu)
  target_link_libraries(ptx.${name}_on_host PRIVATE sinter_fake_cuda)
  target_compile_options(ptx.${name}_on_host PRIVATE -O1 ${ARGN})
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    target_compile_options(ptx.${name}_on_host PRIVATE -mfma)
  endif()
  add_dependencies(ptx.programs ptx.${name}_on_host)
  set(numbers ${CMAKE_CURRENT_BINARY_DIR}/ptx/numbers_of_${name})
  add_test(NAME ptx/${name}_on_host COMMAND ptx.${name}_on_host write ${numbers})
  add_test(NAME ptx/${name} COMMAND ptx.${name} compare ${numbers})
  set_tests_properties(ptx/${name}_on_host PROPERTIES FIXTURES_SETUP ptx_numbers_of_${name})
  set_tests_properties(ptx/${name} PROPERTIES FIXTURES_REQUIRED ptx_numbers_of_${name})
endfunction()
sinter_ptx_networks(networks)
sinter_ptx_networks(sample -DSINTER_FOUR_NETWORKS)

add_test(NAME ptx/faults COMMAND ptx.faults)
add_test(NAME ptx/counts COMMAND ptx.counts)
add_test(NAME ptx/functions COMMAND ptx.functions)
add_test(NAME ptx/thrust COMMAND ptx.thrust)
foreach(test IN ITEMS networks_on_host sample_on_host LISTS ptx_tests)
  set_tests_properties(ptx/${test} PROPERTIES LABELS "ptx;nvcc" TIMEOUT 900)
endforeach()
