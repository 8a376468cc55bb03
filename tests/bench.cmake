# SPDX-License-Identifier: MIT
# Included by tests/CMakeLists.txt: the programs that bench/h200.sh measures with compile, that script runs programs which only
# print, and what counts without a GPU runs;
# the comparison with other libraries and the chart of it, as far as they need none of them; and what programs cost to compile.
find_program(SINTER_PYTHON3 python3)
foreach(script compare chart h200)
  if(SINTER_PYTHON3)
    add_test(NAME bench/${script} COMMAND ${SINTER_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/bench/${script}.py)
    set_tests_properties(bench/${script} PROPERTIES LABELS "bench;python")
  else()
    sinter_skipped_test(bench/${script} "bench;python" "no python3 found")
  endif()
endforeach()

# All levels of optimisation give the same bits.
if(SINTER_PYTHON3)
  set(levels ${SINTER_PYTHON3} ${PROJECT_SOURCE_DIR}/bench/levels.py --networks 256-64-64-10 --compilers ${CMAKE_CXX_COMPILER})
  add_test(NAME bench/levels COMMAND ${levels} --rounds 1)
  set_tests_properties(bench/levels PROPERTIES LABELS "bench;python;slow" TIMEOUT 600)
endif()

# What programs compile does not grow without being noticed.
if(SINTER_PYTHON3)
  add_test(NAME bench/compiled_size COMMAND ${SINTER_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/bench/compiled_size.py ${CMAKE_CXX_COMPILER})
  set_tests_properties(bench/compiled_size PROPERTIES LABELS "bench;python;slow;change" SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()

if(SINTER_CUDA)
  foreach(program times numbers ceilings plans steps)
    sinter_nvcc_test(bench/${program} ${CMAKE_CURRENT_SOURCE_DIR}/headers/link.sh ${SINTER_NVCC} sm_90
                     ${CMAKE_CURRENT_BINARY_DIR}/bench/${program} -DSINTER_SMALL_WORKLOADS
                     ${PROJECT_SOURCE_DIR}/bench/cuda/${program}.cu)
  endforeach()
  sinter_nvcc_test(bench/phases ${CMAKE_CURRENT_SOURCE_DIR}/headers/link.sh ${SINTER_NVCC} sm_90
                   ${CMAKE_CURRENT_BINARY_DIR}/bench/phases -DSINTER_ONE_WORKLOAD ${PROJECT_SOURCE_DIR}/bench/cuda/phases.cu)
  if(CUDAToolkit_FOUND)
    add_executable(bench.counts ${PROJECT_SOURCE_DIR}/bench/cuda/counts.cpp)
    target_link_libraries(bench.counts PRIVATE sinter_fake_cuda)
    target_compile_options(bench.counts PRIVATE -O1)
    # Its exit status counts, which PASS_REGULAR_EXPRESSION would leave out; and it must have counted something.
    add_test(NAME bench/counts
             COMMAND sh -c "out=$(\"$<TARGET_FILE:bench.counts>\" W2n4) && echo \"$out\" && echo \"$out\" | grep -q together")
    set_tests_properties(bench/counts PROPERTIES LABELS "bench;nvcc")
    add_executable(bench.precision ${PROJECT_SOURCE_DIR}/bench/cuda/precision.cpp)
    target_link_libraries(bench.precision PRIVATE sinter_fake_cuda)
    target_compile_definitions(bench.precision PRIVATE SINTER_SMALL_WORKLOADS)
    add_test(NAME bench/precision
             COMMAND sh -c "out=$(\"$<TARGET_FILE:bench.precision>\" \"${SINTER_MNIST_SUBSET}\" 200 1) && echo \"$out\" && test $(echo \"$out\" | grep -cE '^convolutional +(float32|tf32x3|tf32|bf16) .* %$') = 4")
    set_tests_properties(bench/precision PROPERTIES LABELS "bench;nvcc")
  endif()
endif()
