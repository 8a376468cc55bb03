# SPDX-License-Identifier: MIT
# What the project's own programs are built with. Nothing here reaches a user of sinter::sinter.
option(SINTER_NATIVE "Build our programs for this machine's instruction set (-march=native)" OFF)
option(SINTER_WARNINGS "Build our programs with many warnings, each an error" OFF)
set(CMAKE_CXX_EXTENSIONS OFF)  # -std=c++20, as the documents tell users to compile
set(SINTER_SANITIZE "" CACHE STRING "Sanitizers for our programs, as -fsanitize= takes them")

# The embedded default data: real handwritten digits and photographs, see examples/data/README.md.
foreach(set mnist cifar10)
  string(TOUPPER SINTER_${set}_SUBSET folder)
  set(${folder} ${PROJECT_BINARY_DIR}/data/${set}_subset)
  set(archive ${PROJECT_SOURCE_DIR}/examples/data/${set}_subset.tar.xz)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${archive})
  if(NOT EXISTS ${${folder}} OR ${archive} IS_NEWER_THAN ${${folder}})
    file(REMOVE_RECURSE ${${folder}} ${${folder}}.part)
    file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${${folder}}.part)
    file(RENAME ${${folder}}.part ${${folder}})
    file(TOUCH ${${folder}})
  endif()
endforeach()
# sinter_data(target source): where these are, if the source asks for them or includes what does. Every other command is the same
# in every folder, so that a cache of compilations serves all of them.
function(sinter_data target source)
  file(STRINGS ${source} mnist REGEX "SINTER_MNIST_SUBSET|support/digits[.]hpp")
  file(STRINGS ${source} cifar10 REGEX "SINTER_CIFAR10_SUBSET|support/pictures[.]hpp")
  if(mnist)
    target_compile_definitions(${target} PRIVATE SINTER_MNIST_SUBSET="${SINTER_MNIST_SUBSET}")
  endif()
  if(cifar10)
    target_compile_definitions(${target} PRIVATE SINTER_CIFAR10_SUBSET="${SINTER_CIFAR10_SUBSET}")
  endif()
endfunction()

add_library(sinter_own INTERFACE)
target_link_libraries(sinter_own INTERFACE sinter::sinter)
if(SINTER_NATIVE)
  target_compile_options(sinter_own INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${SINTER_NATIVE_FLAGS}>"
                                              $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-march=native>)
endif()
if(SINTER_WARNINGS)
  set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Werror)
  target_compile_definitions(sinter_own INTERFACE SINTER_WARN_OF_SHADOWS)
  target_compile_options(sinter_own INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${warnings}>"
                                              $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
# The sanitizers watch all but the targets that have the property SINTER_UNWATCHED, which are linked with them alone.
if(SINTER_SANITIZE)
  set(watched -fsanitize=${SINTER_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(SINTER_SANITIZE MATCHES "address.*undefined")
    # A check at every access of an unrolled kernel takes ten times as long to compile (172 against 18 s for one test);
    # what these three would find ends in an access that the address sanitizer sees.
    list(APPEND watched -fno-sanitize=null,pointer-overflow,alignment)
  endif()
  target_compile_options(sinter_own INTERFACE "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:SINTER_UNWATCHED>>>:${watched}>")
  target_link_options(sinter_own INTERFACE -fsanitize=${SINTER_SANITIZE})
endif()

# What the tests take from sinter::compiled is compiled as they are.
target_link_libraries(sinter_compiled PRIVATE $<BUILD_INTERFACE:sinter_own>)
if(SINTER_SANITIZE)
  target_compile_options(sinter_compiled PRIVATE -O0)
endif()

# A test that cannot be built here: it says why, and is Skipped.
function(sinter_skipped_test name labels why)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${why}")
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()
