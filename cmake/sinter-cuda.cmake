# SPDX-License-Identifier: MIT
# What sinter::cuda needs, in sinter's own build and in its installed package.

# The runtime that nvcc would link: the static one, unless the target's CUDA_RUNTIME_LIBRARY is Shared.
set(SINTER_CUDA_RUNTIME
    $<IF:$<STREQUAL:$<UPPER_CASE:$<TARGET_PROPERTY:CUDA_RUNTIME_LIBRARY>>,SHARED>,CUDA::cudart,CUDA::cudart_static>)

# CMake before 3.25.2 does not know nvcc's option for C++20, and silently compiles for C++17. A cache variable,
# because folders above and beside this one need it too.
if(CMAKE_VERSION VERSION_LESS 3.25.2)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20 CACHE INTERNAL "C++20 for nvcc")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20 CACHE INTERNAL "C++20 for nvcc")
endif()
