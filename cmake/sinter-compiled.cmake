# SPDX-License-Identifier: MIT
# sinter::compiled, in sinter's own build and in its installed package: a static library of the functions that name no model. The
# project that links it compiles it, with its own flags. sinter::native links it, and sinter::kernels, the kernels that name no
# model for the instruction set that it has here, and precompiles the headers, unless SINTER_HEADER_ONLY is set.
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST languages AND NOT TARGET sinter_compiled)
  add_library(sinter_compiled STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/compiled.cpp)
  add_library(sinter::compiled ALIAS sinter_compiled)
  target_link_libraries(sinter_compiled PUBLIC sinter::sinter)
  target_compile_definitions(sinter_compiled PUBLIC SINTER_COMPILED)
  # So that a program's linker may leave out what it does not call; and quick to compile: nothing here is a kernel.
  target_compile_options(sinter_compiled PRIVATE -ffunction-sections -fdata-sections $<$<OR:$<CONFIG:>,$<CONFIG:Release>>:-O1>)
  set_target_properties(sinter_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()

# sinter_instruction_set(<variable> flag..): what sinter::isa calls the one that the project's sources are compiled for with these
# flags. Empty if the compiler does not say.
function(sinter_instruction_set variable)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/sinter_instruction_set.cpp)
  file(WRITE ${source} "#include <sinter/core/isa.hpp>\nsinter_isa SINTER_NATIVE_ISA\n")
  get_target_property(include sinter::sinter INTERFACE_INCLUDE_DIRECTORIES)
  string(REGEX REPLACE "^.<BUILD_INTERFACE:([^>]*)>.*" "\\1" include "${include}")
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} ${flags} ${ARGN} -std=c++20 -I${include} -E ${source} OUTPUT_VARIABLE text ERROR_QUIET)
  set(${variable} "" PARENT_SCOPE)
  if(text MATCHES "sinter_isa ([A-Za-z0-9]+)")
    set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
  endif()
endfunction()
if(TARGET sinter_compiled AND NOT TARGET sinter_kernels)
  sinter_instruction_set(instruction_set -march=native)
  if(instruction_set)
    add_library(sinter_kernels STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/kernels.cpp)
    add_library(sinter::kernels ALIAS sinter_kernels)
    target_link_libraries(sinter_kernels PUBLIC sinter::sinter)
    target_compile_definitions(sinter_kernels INTERFACE SINTER_COMPILED_KERNELS=${instruction_set})
    target_compile_options(sinter_kernels PRIVATE $<TARGET_PROPERTY:sinter::native,INTERFACE_COMPILE_OPTIONS> -ffunction-sections)
    set_target_properties(sinter_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endif()

option(SINTER_HEADER_ONLY "sinter::native leaves all functions of the headers to each source file, and precompiles nothing" OFF)
if(TARGET sinter_compiled AND NOT SINTER_HEADER_ONLY)
  get_target_property(native sinter::native ALIASED_TARGET)
  if(NOT native)
    set(native sinter::native)
  endif()
  set(libraries sinter::compiled)
  if(TARGET sinter_kernels)
    list(APPEND libraries sinter::kernels)
  endif()
  set_property(TARGET ${native} APPEND PROPERTY INTERFACE_LINK_LIBRARIES "$<BUILD_INTERFACE:${libraries}>")
  set(cxx $<COMPILE_LANGUAGE:CXX>,$<NOT:$<AND:$<CXX_COMPILER_ID:GNU>,$<PLATFORM_ID:Windows>>>)  # there g++ makes none above 128 MB
  set_property(TARGET ${native} PROPERTY INTERFACE_PRECOMPILE_HEADERS
               $<BUILD_INTERFACE:$<$<AND:${cxx}>:<sinter/sinter.hpp$<ANGLE-R>$<SEMICOLON><sinter/io.hpp$<ANGLE-R>>>)
endif()
