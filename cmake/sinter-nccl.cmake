# SPDX-License-Identifier: MIT
# sinter::nccl, in sinter's own build and in its installed package: sinter::cuda with the NCCL that is found where it is used, in the
# folder NCCL_ROOT, such as that of PyPI's nvidia-nccl-cu13, or in that of the CUDA toolkit.
find_package(CUDAToolkit 12 QUIET)
find_path(SINTER_NCCL_INCLUDE_DIR nccl.h HINTS ${NCCL_ROOT} ENV NCCL_ROOT ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
find_library(SINTER_NCCL_LIBRARY NAMES nccl libnccl.so.2 NAMES_PER_DIR HINTS ${NCCL_ROOT} ENV NCCL_ROOT ${CUDAToolkit_LIBRARY_DIR}
             PATH_SUFFIXES lib lib64)
mark_as_advanced(SINTER_NCCL_INCLUDE_DIR SINTER_NCCL_LIBRARY)
if(TARGET sinter::cuda AND SINTER_NCCL_INCLUDE_DIR AND SINTER_NCCL_LIBRARY AND NOT TARGET sinter::nccl)
  add_library(sinter::nccl INTERFACE IMPORTED)
  target_link_libraries(sinter::nccl INTERFACE sinter::cuda ${SINTER_NCCL_LIBRARY})
  target_include_directories(sinter::nccl INTERFACE ${SINTER_NCCL_INCLUDE_DIR})
endif()
