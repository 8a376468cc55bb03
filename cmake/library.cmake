# SPDX-License-Identifier: MIT
# The library, headers only: sinter::sinter, and sinter::cuda for .cu files; in part compiled once: sinter::compiled.
find_package(Threads REQUIRED)

file(GLOB_RECURSE SINTER_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sinter/*.hpp)
file(GLOB_RECURSE SINTER_BODIES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sinter/*.ipp)
file(GLOB_RECURSE SINTER_CUDA_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sinter/*.cuh)

add_library(sinter INTERFACE)
add_library(sinter::sinter ALIAS sinter)
target_compile_features(sinter INTERFACE cxx_std_20)
target_link_libraries(sinter INTERFACE Threads::Threads)
set(windows_gcc $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<PLATFORM_ID:Windows>>)  # which misaligns vectors: core/macros.hpp
target_compile_options(sinter INTERFACE ${windows_gcc}:-Wa,-muse-unaligned-vector-move>)
target_compile_definitions(sinter INTERFACE ${windows_gcc}:SINTER_UNALIGNED_MOVES>)
target_sources(sinter INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${SINTER_HEADERS} ${SINTER_BODIES})

# clang 19 and 20 warn of what -march=native says by itself on processors with AVX10.
set(quiet -Wno-invalid-feature-combination)
set(clang $<CXX_COMPILER_ID:Clang>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,19>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,21>)
set(native -march=native $<$<AND:${clang}>:${quiet}>)
# The same for the commands of tests, which are no targets.
set(SINTER_NATIVE_FLAGS -march=native)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 19 AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 21)
  list(APPEND SINTER_NATIVE_FLAGS ${quiet})
endif()

# The same, with the flags that make kernels quick on the machine that builds: for programs that stay there.
add_library(sinter_native INTERFACE)
add_library(sinter::native ALIAS sinter_native)
set_target_properties(sinter_native PROPERTIES EXPORT_NAME native)
target_link_libraries(sinter_native INTERFACE sinter)
# Below so many kB g++ does not collect its garbage, which takes 6 % of a program's time.
set(heap $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=500000>)
target_compile_options(sinter_native INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-O3;${native}>" ${heap}
                                               "$<$<COMPILE_LANGUAGE:CUDA>:-O3;-Xcompiler=-march=native>")

add_library(sinter_cuda INTERFACE)
add_library(sinter::cuda ALIAS sinter_cuda)
set_target_properties(sinter_cuda PROPERTIES EXPORT_NAME cuda)
target_link_libraries(sinter_cuda INTERFACE sinter)
target_sources(sinter_cuda INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${SINTER_CUDA_HEADERS})
include(${CMAKE_CURRENT_LIST_DIR}/sinter-cuda.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/sinter-library.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/sinter-compiled.cmake)

# The runtime is that of the project's compiler. Where CUDA is not enabled (yet), no toolkit is looked for: a .cu file gets
# its runtime from CMake then, and for a .cpp file that includes device/cuda.cuh, find_package(CUDAToolkit) comes first.
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CUDA" IN_LIST languages)
  find_package(CUDAToolkit QUIET)
endif()
if(TARGET CUDA::cudart)
  target_link_libraries(sinter_cuda INTERFACE $<BUILD_INTERFACE:${SINTER_CUDA_RUNTIME}>)
endif()
