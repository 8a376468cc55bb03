# SPDX-License-Identifier: MIT
# sinter::compiled, in sinter's own build and in its installed package: a static library of the functions that name no model. The
# project that links it compiles it, with its own flags.
get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if("CXX" IN_LIST languages AND NOT TARGET sinter_compiled)
  add_library(sinter_compiled STATIC EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/compiled.cpp)
  add_library(sinter::compiled ALIAS sinter_compiled)
  target_link_libraries(sinter_compiled PUBLIC sinter::sinter)
  target_compile_definitions(sinter_compiled PUBLIC SINTER_COMPILED)
  # So that a program's linker may leave out what it does not call; and optimised where no build type is chosen.
  target_compile_options(sinter_compiled PRIVATE -ffunction-sections -fdata-sections $<$<CONFIG:>:-O2>)
  set_target_properties(sinter_compiled PROPERTIES POSITION_INDEPENDENT_CODE ON)
endif()
