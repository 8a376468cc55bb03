# SPDX-License-Identifier: MIT
# Ranks that are processes: tests/ranks/mpi/program.cpp, started by mpirun, and tests/ranks/ulfm.
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

# Ranks that go on where others are killed: with PyPI's Open MPI 5, which compiles the program.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT SINTER_SANITIZE)
  add_test(NAME ranks/ulfm COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ranks/ulfm/run.sh ${CMAKE_CURRENT_BINARY_DIR}/ranks_ulfm 50)
  set_tests_properties(ranks/ulfm PROPERTIES LABELS "ranks;slow" SKIP_RETURN_CODE 77 TIMEOUT 900
                       ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endif()
