# SPDX-License-Identifier: MIT
# sinter_add_model_library(<name> <source>): adds a shared library target <name> for the model that <source> passes to
# SINTER_MODEL_LIBRARY. Its C header <name>.h is in ${CMAKE_CURRENT_BINARY_DIR}/<name>_include; targets that link <name> find it. <name>
# must be a C identifier. On x86-64 the kernels are compiled for three instruction sets; <name>_open chooses the best that the CPU has.
function(sinter_add_model_library name source)
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "sinter_add_model_library was given the name \"${name}\", which begins the names of C functions: \
give it letters, digits and _")
  endif()
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${name}_include)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/model_library.h.in ${include}/${name}.h @ONLY)

  # Functions that no instruction set is part of the name of are in several objects, and the linker keeps the first: that for
  # every machine. Objects of the library's own sources would come last.
  set(parts ${name}_base)
  add_library(${name}_base OBJECT ${source})
  add_library(${name} SHARED $<TARGET_OBJECTS:${name}_base>)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE sinter::sinter)
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${include}>)
    if(UNIX AND NOT APPLE)  # templates of std are visible whatever the compiler options are
    file(CONFIGURE OUTPUT ${include}/${name}.map CONTENT "{ global: ${name}_*; local: *; };\n")
    target_link_options(${name} PRIVATE -Wl,--version-script=${include}/${name}.map)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    target_compile_definitions(${name}_base PRIVATE SINTER_LIBRARY_X86)
    target_compile_options(${name}_base PRIVATE -march=x86-64)
    target_compile_definitions(${name}_base PRIVATE SINTER_LIBRARY_MARCH="x86-64")
    foreach(level v3 v4)
      set(part ${name}_part_${level})
      add_library(${part} OBJECT ${source})
      target_compile_options(${part} PRIVATE -march=x86-64-${level})
      target_compile_definitions(${part} PRIVATE SINTER_LIBRARY_PART=_part_${level} SINTER_LIBRARY_MARCH="x86-64-${level}")
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${part}>)
      list(APPEND parts ${part})
    endforeach()
  else()
    target_compile_definitions(${name}_base PRIVATE SINTER_LIBRARY_MARCH="${CMAKE_SYSTEM_PROCESSOR}")
  endif()
  foreach(part IN LISTS parts)
    target_link_libraries(${part} PRIVATE sinter::sinter)
    target_compile_definitions(${part} PRIVATE SINTER_LIBRARY_NAME=${name})
    target_compile_options(${part} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O3>)
    set_target_properties(${part} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                          POSITION_INDEPENDENT_CODE ON)
  endforeach()
endfunction()
