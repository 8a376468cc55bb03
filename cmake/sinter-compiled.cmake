# SPDX-License-Identifier: MIT
# sinter::compiled, in sinter's own build and in its installed package: a static library of the functions that name no model. The
# project that links it compiles it, with its own flags. sinter::native links it and precompiles the headers, unless
# SINTER_HEADER_ONLY is set.
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

option(SINTER_HEADER_ONLY "sinter::native leaves all functions of the headers to each source file, and precompiles nothing" OFF)
if(TARGET sinter_compiled AND NOT SINTER_HEADER_ONLY)
  get_target_property(native sinter::native ALIASED_TARGET)
  if(NOT native)
    set(native sinter::native)
  endif()
  set_property(TARGET ${native} APPEND PROPERTY INTERFACE_LINK_LIBRARIES $<BUILD_INTERFACE:sinter::compiled>)
  set(cxx $<COMPILE_LANGUAGE:CXX>,$<NOT:$<AND:$<CXX_COMPILER_ID:GNU>,$<PLATFORM_ID:Windows>>>)  # there g++ makes none above 128 MB
  set_property(TARGET ${native} PROPERTY INTERFACE_PRECOMPILE_HEADERS
               $<BUILD_INTERFACE:$<$<AND:${cxx}>:<sinter/sinter.hpp$<ANGLE-R>$<SEMICOLON><sinter/io.hpp$<ANGLE-R>>>)
endif()
