# SPDX-License-Identifier: MIT
# sinter::mpi, in sinter's own build and in its installed package: sinter with the MPI that is found where it is used.
if(NOT TARGET sinter::mpi)
  find_package(MPI QUIET COMPONENTS CXX)
  if(TARGET MPI::MPI_CXX)
    add_library(sinter::mpi INTERFACE IMPORTED)
    target_link_libraries(sinter::mpi INTERFACE sinter::sinter MPI::MPI_CXX)
  endif()
endif()
