# SPDX-License-Identifier: MIT
# Ranks that are processes: the programs of tests/ranks/mpi, started by mpirun, and tests/ranks/ulfm.
include(${PROJECT_SOURCE_DIR}/cmake/sinter-mpi.cmake)

# sinter_mpi_test(name program script)
function(sinter_mpi_test name program script)
  string(REPLACE / . target ${name})
  add_executable(${target} ${CMAKE_CURRENT_SOURCE_DIR}/ranks/mpi/${program})
  target_link_libraries(${target} PRIVATE sinter_own sinter::mpi)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -O0)
  target_compile_definitions(${target} PRIVATE SINTER_KEEP_CALLS)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ranks/mpi/${script} $<TARGET_FILE:${target}>
           ${CMAKE_CURRENT_BINARY_DIR}/${target}.files ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG})
  set_tests_properties(${name} PROPERTIES LABELS ranks TIMEOUT 300)
endfunction()

if(NOT TARGET sinter::mpi OR NOT MPIEXEC_EXECUTABLE)
  sinter_skipped_test(ranks/mpi ranks "no MPI found; ./setup --mpi installs one")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SINTER_SANITIZE)  # MPI keeps memory that sanitizers call lost
  sinter_mpi_test(ranks/mpi program.cpp run.sh)
  sinter_mpi_test(ranks/mpi_pipeline pipeline.cpp pipeline.sh)
endif()

# Ranks of NCCL, the library itself: linked, and run where there are GPUs.
if(SINTER_CUDA AND SINTER_NCCL_INCLUDE_DIR AND SINTER_NCCL_LIBRARY)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/ranks_nccl_program)
  cmake_path(GET SINTER_NCCL_LIBRARY PARENT_PATH nccl)
  sinter_nvcc_test(ranks/nccl_program ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_75 -I ${PROJECT_SOURCE_DIR}/include
                   -I ${SINTER_NCCL_INCLUDE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/ranks/nccl_gpus.cu ${SINTER_NCCL_LIBRARY}
                   -Xlinker -rpath=${nccl} -o ${program})
  sinter_gpu_test(ranks/nccl_program ${program})
endif()

# Ranks that go on where others are killed: with PyPI's Open MPI 5, which compiles the program.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SINTER_SANITIZE)
  add_test(NAME ranks/ulfm COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ranks/ulfm/run.sh ${CMAKE_CURRENT_BINARY_DIR}/ranks_ulfm 6)
  set_tests_properties(ranks/ulfm PROPERTIES LABELS "ranks;slow" SKIP_RETURN_CODE 77 TIMEOUT 900
                       ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endif()
