# SPDX-License-Identifier: MIT
# What the first lines of a test say of it: "// labels: WORD..". Words are CTest's labels, besides the name of the folder, and
# targets label.WORD, which build the programs of a label. Included by tests/CMakeLists.txt; run as
# `cmake -D SOURCE=<file> -P labels.cmake`, it prints the words of a file.
#
# Which tests a command or .ci/run runs:
#   large         takes many seconds to compile: built only when asked for, with SINTER_LARGE_TESTS=OFF, and not watched
#                 by sanitizers
#   slow          takes long to run
#   change        of those two kinds, run at every change
#   threads       has threads, which the thread sanitizer watches
#   processor     depends on the processor: run for aarch64
#   learning      trains until a network is right
# How it is built:
#   optimised     tests what an optimiser may get wrong: with -O2 in the presets gcc and clang. Elsewhere, and for all
#                 others, it is -O0 without inlining
#   O1            would run for minutes so
#   sanitized     is watched by the sanitizers though it is large: it reaches memory in ways of its own
#   unsanitized   is not watched by any: it would run for minutes, or other tests have its kernels and threads. Those that
#                 are optimised, too, are left to the presets gcc and clang
#   wide_vectors  has vectors that this machine may lack
#   avx512        is compiled for AVX-512, where the machine has it
#   gpu           kernels for a GPU, which the CPU runs
#   cuda          needs the headers of the CUDA toolkit, and is linked with a fake runtime
#   nccl          with a fake NCCL, too
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_policy(VERSION 3.25)
endif()
set(sinter_words large slow change threads processor learning optimised O1 sanitized unsanitized wide_vectors avx512 gpu cuda nccl)

# sinter_read_labels(variable source): the words of a test.
function(sinter_read_labels variable source)
  set(words)
  file(STRINGS ${source} lines LIMIT_COUNT 5 REGEX "^// labels: ")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^// labels: *" "" line "${line}")
    string(REGEX REPLACE "[ ,]+" ";" line "${line}")
    list(APPEND words ${line})
  endforeach()
  foreach(word IN LISTS words)
    if(NOT word IN_LIST sinter_words)
      list(JOIN sinter_words " " known)
      message(FATAL_ERROR "${source}: the label \"${word}\" was given; expected some of: ${known}")
    endif()
  endforeach()
  set(${variable} ${words} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  sinter_read_labels(words ${SOURCE})
  list(JOIN words " " words)
  message("labels: ${words}")
endif()
