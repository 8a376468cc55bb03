# SPDX-License-Identifier: MIT
# nvcc for the project's own programs and tests. Nothing here runs in the build of a user of sinter.
set(SINTER_CUDA AUTO CACHE STRING "Our own CUDA programs and tests: AUTO (if there is nvcc), ON (fail if not) or OFF")
set_property(CACHE SINTER_CUDA PROPERTY STRINGS AUTO ON OFF)
if(NOT SINTER_CUDA)
  return()
endif()

find_program(SINTER_NVCC NAMES ${CMAKE_CUDA_COMPILER} $ENV{CUDACXX} nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda
             PATH_SUFFIXES bin)
if(NOT SINTER_NVCC AND NOT SINTER_CUDA STREQUAL "AUTO")
  message(FATAL_ERROR "SINTER_CUDA is ${SINTER_CUDA}, and no nvcc was found: install the CUDA toolkit, put nvcc on PATH, \
or configure with -D SINTER_CUDA=AUTO or OFF")
endif()

# Tests call nvcc themselves. The language is enabled, which takes some seconds, where .cu programs are to be built.
set(programs)
if(SINTER_BUILD_EXAMPLES)
  file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cu)
endif()
if(NOT SINTER_NVCC OR NOT programs)
  return()
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND nvidia-smi -L RESULT_VARIABLE no_gpu OUTPUT_QUIET ERROR_QUIET)
  if(no_gpu)
    set(CMAKE_CUDA_ARCHITECTURES 75)  # runs on every later one too, by its PTX
  else()
    set(CMAKE_CUDA_ARCHITECTURES native)
  endif()
endif()
# A toolchain file may set CMAKE_CXX_STANDARD (Conan's does), which CMake before 3.25.2 hands on to nvcc and then refuses.
if(CMAKE_VERSION VERSION_LESS 3.25.2)
  set(CMAKE_CUDA_STANDARD 17)
  set(CMAKE_TOOLCHAIN_FILE "")
endif()
set(ENV{CUDACXX} ${SINTER_NVCC})
include(CheckLanguage)
check_language(CUDA)
unset(CMAKE_TOOLCHAIN_FILE)
if(CMAKE_CUDA_COMPILER)
  enable_language(CUDA)
  set(SINTER_CUDA_ENABLED ON)
elseif(NOT SINTER_CUDA STREQUAL "AUTO")
  message(FATAL_ERROR "SINTER_CUDA is ${SINTER_CUDA}, and ${SINTER_NVCC} does not work here: see CMakeFiles/CMakeError.log")
endif()
unset(CMAKE_CUDA_STANDARD)
