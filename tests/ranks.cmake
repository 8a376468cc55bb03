# SPDX-License-Identifier: MIT
# Ranks that are processes: tests/ranks/mpi/program.cpp, started by mpirun.
include(${PROJECT_SOURCE_DIR}/cmake/sinter-mpi.cmake)
if(NOT TARGET sinter::mpi OR NOT MPIEXEC_EXECUTABLE)
  sinter_skipped_test(ranks/mpi ranks "no MPI found; ./setup --mpi installs one")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SINTER_SANITIZE)  # MPI keeps memory that sanitizers call lost
  add_executable(ranks.mpi ${CMAKE_CURRENT_SOURCE_DIR}/ranks/mpi/program.cpp)
  target_link_libraries(ranks.mpi PRIVATE sinter_own sinter::mpi)
  target_include_directories(ranks.mpi PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(ranks.mpi PRIVATE -O0)
  target_compile_definitions(ranks.mpi PRIVATE SINTER_KEEP_CALLS)
  add_test(NAME ranks/mpi COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ranks/mpi/run.sh $<TARGET_FILE:ranks.mpi>
           ${CMAKE_CURRENT_BINARY_DIR}/ranks_mpi ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG})
  set_tests_properties(ranks/mpi PROPERTIES LABELS ranks TIMEOUT 300)
endif()

# Ranks of NCCL, the library itself: linked, and run where there are GPUs.
if(SINTER_CUDA AND SINTER_NCCL_INCLUDE_DIR AND SINTER_NCCL_LIBRARY)
  set(program ${CMAKE_CURRENT_BINARY_DIR}/ranks_nccl_program)
  cmake_path(GET SINTER_NCCL_LIBRARY PARENT_PATH nccl)
  sinter_nvcc_test(ranks/nccl_program ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_75 -I ${PROJECT_SOURCE_DIR}/include
                   -I ${SINTER_NCCL_INCLUDE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/ranks/nccl_program.cu ${SINTER_NCCL_LIBRARY}
                   -Xlinker -rpath=${nccl} -o ${program})
  sinter_gpu_test(ranks/nccl_program ${program})
endif()
