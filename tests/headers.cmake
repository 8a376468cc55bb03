# SPDX-License-Identifier: MIT
# Every header alone (and twice): as SINTER_COMPILED leaves it, and with the bodies of its functions where it has an .ipp file. All
# of them in two translation units of one program; kernels under nvcc.
set(generated ${CMAKE_CURRENT_BINARY_DIR}/headers)
set(alone)
set(everything "")
list(FILTER SINTER_HEADERS EXCLUDE REGEX "mpi.hpp$")  # needs <mpi.h>: tests/ranks.cmake
foreach(header IN LISTS SINTER_HEADERS)
  cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/include OUTPUT_VARIABLE name)
  string(REGEX REPLACE "[/.]" "_" unit ${name})
  file(CONFIGURE OUTPUT ${generated}/alone/${unit}.cpp
       CONTENT "#define SINTER_COMPILED\n#include <${name}>\n#include <${name}>\n")
  list(APPEND alone ${generated}/alone/${unit}.cpp)
  string(REGEX REPLACE "hpp$" "ipp" bodies ${header})
  if(bodies IN_LIST SINTER_BODIES)
    file(CONFIGURE OUTPUT ${generated}/alone/${unit}_bodies.cpp CONTENT "#include <${name}>\n#include <${name}>\n")
    list(APPEND alone ${generated}/alone/${unit}_bodies.cpp)
  endif()
  string(APPEND everything "#include <${name}>\n")
endforeach()
add_library(headers.alone OBJECT ${alone})
target_link_libraries(headers.alone PRIVATE sinter_own)
target_compile_options(headers.alone PRIVATE -O0 -g0)
set_target_properties(headers.alone PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
if(NOT SINTER_LARGE_TESTS)
  set_target_properties(headers.alone PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
add_dependencies(label.large headers.alone)

file(CONFIGURE OUTPUT ${generated}/one.cpp CONTENT "${everything}int two();\nint main() { return two(); }\n")
file(CONFIGURE OUTPUT ${generated}/two.cpp CONTENT "${everything}int two();\nint two() { return 0; }\n")
add_executable(headers.linked ${generated}/one.cpp ${generated}/two.cpp)
target_link_libraries(headers.linked PRIVATE sinter_own)
add_test(NAME headers/linked COMMAND headers.linked)
set_tests_properties(headers/linked PROPERTIES LABELS headers)

# No warning that would stop a user. What g++ warns of depends on how far it looks, so on the level and the instruction
# set, and the tests are compiled at one of each. Nothing runs: x86-64-v4 is compiled anywhere.
function(sinter_warnings_test name source labels)
  add_test(NAME headers/warnings_${name}
           COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -Wall -Wextra -Wconversion -Werror -pthread ${ARGN}
                   -c ${CMAKE_CURRENT_SOURCE_DIR}/headers/${source}.cpp
                   -o ${CMAKE_CURRENT_BINARY_DIR}/headers_warnings_${name}.o)
  set_tests_properties(headers/warnings_${name} PROPERTIES LABELS "${labels}" TIMEOUT 600)
endfunction()
set(include_folder ${PROJECT_SOURCE_DIR}/include)
sinter_warnings_test(I warnings headers -O3 ${SINTER_NATIVE_FLAGS} -I ${include_folder})
sinter_warnings_test(isystem warnings "headers;slow" -O3 ${SINTER_NATIVE_FLAGS} -isystem ${include_folder})
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # for g++ below
  sinter_warnings_test(outputs warnings_of_outputs headers -O3 ${SINTER_NATIVE_FLAGS} -isystem ${include_folder}
                       -D FIRST_OUTPUTS=1 -D LAST_OUTPUTS=3)
endif()
set(levels O2 O3)
foreach(level IN LISTS levels)
  sinter_warnings_test(layers_${level} warnings_of_layers "headers;slow" -${level} ${SINTER_NATIVE_FLAGS} -I ${include_folder})
endforeach()
set(instruction_sets native native)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(instruction_sets x86-64-v4 x86-64-v3)
endif()
foreach(level instruction_set IN ZIP_LISTS levels instruction_sets)
  sinter_warnings_test(outputs_${level}_${instruction_set} warnings_of_outputs "headers;slow"
                       -${level} -march=${instruction_set} -I ${include_folder} -D FIRST_OUTPUTS=1 -D LAST_OUTPUTS=6)
endforeach()

# Files of one program that each define a struct Net: what is compiled for one is not taken for another.
function(sinter_same_names_test name how labels)
  add_test(NAME headers/same_names_${name}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/headers/same_names/run.sh ${CMAKE_CXX_COMPILER}
                   ${CMAKE_CURRENT_BINARY_DIR}/same_names_${name} ${how} ${ARGN})
  set_tests_properties(headers/same_names_${name} PROPERTIES LABELS "${labels}" TIMEOUT 600)
endfunction()
sinter_same_names_test(calls objects "headers;slow;change" -O0 -D SINTER_KEEP_CALLS)
sinter_same_names_test(O3 objects "headers;slow;change" -O3)
sinter_same_names_test(O0 objects "headers;slow" -O0)
sinter_same_names_test(lto objects "headers;slow" -O2 -flto)
sinter_same_names_test(static static "headers;slow" -O1)
sinter_same_names_test(shared shared "headers;slow" -O1)
# And no symbol that two of them define differs in content, of which a linker keeps one.
if(CMAKE_SIZEOF_VOID_P EQUAL 8 AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
  add_test(NAME headers/same_names_symbols
           COMMAND sh -c "command -v python3 > /dev/null || exit 77 && exec python3 \"$0\" \"$@\""
                   ${CMAKE_CURRENT_SOURCE_DIR}/headers/same_names/compare.py file1.o file2.o file3.o
           WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/same_names_calls)
  set_tests_properties(headers/same_names_calls PROPERTIES FIXTURES_SETUP same_names)
  set_tests_properties(headers/same_names_symbols PROPERTIES LABELS "headers;slow;change" SKIP_RETURN_CODE 77 FIXTURES_REQUIRED same_names)
endif()

# Macros of others, with C's own <complex.h> and its I: -std=gnu++20, which CMake and g++ choose.
foreach(order before after)
  add_test(NAME headers/macros_${order}
           COMMAND ${CMAKE_CXX_COMPILER} -std=gnu++20 ${SINTER_NATIVE_FLAGS} -Wall -Wextra -Wconversion -Werror -fsyntax-only
           $<$<STREQUAL:${order},after>:-DMACROS_AFTER> -I ${PROJECT_SOURCE_DIR}/include -I ${CMAKE_CURRENT_SOURCE_DIR}
           ${CMAKE_CURRENT_SOURCE_DIR}/headers/macros.cpp
           COMMAND_EXPAND_LISTS)
  set_tests_properties(headers/macros_${order} PROPERTIES LABELS headers)
endforeach()

# A program's own names, at which -Wshadow looks.
file(CONFIGURE OUTPUT ${generated}/everything.hpp CONTENT "${everything}")
foreach(order before after)
  add_test(NAME headers/shadows_${order}
           COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 ${SINTER_NATIVE_FLAGS} -O0 -DSINTER_KEEP_CALLS -Wall -Wextra -Wshadow -Werror -pthread
                   $<$<STREQUAL:${order},after>:-DNAMES_AFTER> "-DEVERYTHING=<${generated}/everything.hpp>"
                   -I ${PROJECT_SOURCE_DIR}/include -c ${CMAKE_CURRENT_SOURCE_DIR}/headers/shadows.cpp
                   -o ${CMAKE_CURRENT_BINARY_DIR}/headers_shadows_${order}.o
           COMMAND_EXPAND_LISTS)
  set_tests_properties(headers/shadows_${order} PROPERTIES LABELS "headers;slow;change" TIMEOUT 600)
endforeach()

# A clang newer than the one of the presets. Skipped where Python has no ziglang.
add_test(NAME headers/ziglang
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/io/pytorch/python.sh ziglang ${CMAKE_CURRENT_SOURCE_DIR}/headers/ziglang.py
         ${CMAKE_CXX_COMPILER} $<TARGET_FILE:io.inference_make> ${CMAKE_CURRENT_BINARY_DIR}/headers/ziglang)
set_tests_properties(headers/ziglang PROPERTIES LABELS "headers;python;slow" SKIP_RETURN_CODE 77 TIMEOUT 1800)

# macOS, by the same. Skipped where Python has no ziglang.
add_test(NAME headers/macos
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/io/pytorch/python.sh ziglang ${CMAKE_CURRENT_SOURCE_DIR}/headers/macos.py
         ${CMAKE_CURRENT_BINARY_DIR}/headers/macos)
set_tests_properties(headers/macos PROPERTIES LABELS "headers;python;slow" SKIP_RETURN_CODE 77 TIMEOUT 900)

# What g++ for aarch64 makes of the inner loops of products. Skipped where there is none.
add_test(NAME headers/neon COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/headers/neon.sh ${CMAKE_CURRENT_BINARY_DIR}/headers/neon)
set_tests_properties(headers/neon PROPERTIES LABELS "headers;slow" SKIP_RETURN_CODE 77 TIMEOUT 900)
add_test(NAME headers/neon_refused COMMAND awk -f ${CMAKE_CURRENT_SOURCE_DIR}/headers/neon.awk ${CMAKE_CURRENT_SOURCE_DIR}/headers/neon_spills.txt)
set_tests_properties(headers/neon_refused PROPERTIES LABELS headers PASS_REGULAR_EXPRESSION
                     "refused: 8 fma, 9 loads, 2 uses of the stack in a loop of 19 instructions in 0000000000000000 <product>:")

# Networks on Cortex-M, which QEMU runs. Skipped where there is no cross compiler.
add_test(NAME microcontroller/cortex_m
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/microcontroller/run.sh ${CMAKE_CXX_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/microcontroller
         ${SINTER_NATIVE_FLAGS} COMMAND_EXPAND_LISTS)
set_tests_properties(microcontroller/cortex_m PROPERTIES LABELS "microcontroller;slow" SKIP_RETURN_CODE 77 TIMEOUT 900)

# What nvcc makes of the kernels, for every architecture: no warnings, few registers, nothing in local memory. Then all of it
# in five translation units of one program, which runs where there is a GPU.
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/headers)
if(SINTER_CUDA)
  foreach(architectures "sm_75" "sm_80" "sm_86 sm_89 sm_120" "sm_90 sm_100")
    string(REGEX REPLACE " .*" "" first ${architectures})
    sinter_nvcc_test(headers/nvcc_${first} ${folder}/nvcc.sh ${SINTER_NVCC} ${architectures}
                     ${generated}/${first} ${folder}/nets.cu ${folder}/functors.cu ${folder}/registers.cu)
  endforeach()
  sinter_nvcc_test(headers/nvcc_machine_code ${folder}/sass.py ${SINTER_NVCC} ${generated}/sm_90/nets_sm_90.cubin)
  set_tests_properties(headers/nvcc_sm_90 PROPERTIES FIXTURES_SETUP nets_for_9_0)
  set_tests_properties(headers/nvcc_machine_code PROPERTIES FIXTURES_REQUIRED nets_for_9_0)
  sinter_nvcc_test(headers/cuda_alone ${folder}/alone.sh ${SINTER_NVCC} ${CMAKE_CXX_COMPILER})
  # Functions of the user's that a GPU calls without SINTER_FN: of a functor, one of rows, a loss; of a schedule and an
  # optimizer, also where others hold them. Then the same, constexpr.
  foreach(case 0 1 2 3 4 5 6 7 8 constexpr_0 constexpr_1 constexpr_2 constexpr_3 constexpr_5)
    string(REGEX MATCH "[0-9]" number ${case})
    string(REGEX MATCH "constexpr" before ${case})
    sinter_nvcc_test(headers/nvcc_host_functions_${case} ${SINTER_NVCC} -std=c++20 -arch=sm_90 -ptx
                     -D SINTER_CASE=${number} -D SINTER_BEFORE=${before} -I ${PROJECT_SOURCE_DIR}/include
                     ${folder}/host_functions.cu -o ${generated}/host_functions_${case}.ptx)
    if(SINTER_NVCC)
      set_tests_properties(headers/nvcc_host_functions_${case} PROPERTIES PASS_REGULAR_EXPRESSION
                           "make_updates.hpp.*error: calling a __host__|error: calling a ${before} ?__host__ function.*\
(TwiceFunction|HalvesFunction|SquaresLoss|HalvesSchedule|SlowerOptimizer)")
    endif()
  endforeach()
  sinter_nvcc_test(headers/nvcc_relaxed_constexpr ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_90 -ptx
                   --expt-relaxed-constexpr -D SINTER_CASE=0 -D SINTER_BEFORE=constexpr -I ${PROJECT_SOURCE_DIR}/include
                   ${folder}/host_functions.cu -o ${generated}/relaxed_constexpr.ptx)
  # The stub of a kernel, and its body.
  sinter_nvcc_test(headers/nvcc_stub ${folder}/ptx.sh ${SINTER_NVCC} sm_75 ${generated}/ptx ${folder}/stubs.cu stub)
  sinter_nvcc_test(headers/nvcc_body ${folder}/ptx.sh ${SINTER_NVCC} sm_90 ${generated}/ptx ${folder}/stubs.cu body)
  sinter_nvcc_test(headers/nvcc_wide ${folder}/ptx.sh ${SINTER_NVCC} sm_90 ${generated}/ptx ${folder}/wide.cu wide)
  sinter_nvcc_test(headers/nvcc_tensor_cores ${folder}/tensor_cores.sh ${SINTER_NVCC} ${generated}/tensor_cores)
  sinter_nvcc_test(headers/nvcc_index_maps ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_90 -ptx
                   -I ${PROJECT_SOURCE_DIR}/include ${folder}/index_maps.cu -o ${generated}/index_maps.ptx)
  sinter_nvcc_test(headers/nvcc_attention ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_90 -ptx
                   -I ${PROJECT_SOURCE_DIR}/include ${folder}/attention.cu -o ${generated}/attention.ptx)
  sinter_nvcc_test(headers/nvcc_inputs ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_90 -c
                   -I ${PROJECT_SOURCE_DIR}/include ${folder}/inputs.cu -o ${generated}/inputs.o)
  sinter_nvcc_test(headers/nvcc_own_functors ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_90 -ptx
                   -I ${PROJECT_SOURCE_DIR}/include ${folder}/own_functors.cu -o ${generated}/own_functors.ptx)
  sinter_nvcc_test(headers/nvcc_trainable ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_90 -c
                   -I ${PROJECT_SOURCE_DIR}/include ${folder}/trainable.cu -o ${generated}/trainable.o)
  sinter_nvcc_test(headers/nvcc_thrust ${SINTER_NVCC} -std=c++20 -Werror all-warnings -arch=sm_90
                   -I ${PROJECT_SOURCE_DIR}/include ${CMAKE_CURRENT_SOURCE_DIR}/thrust/device_data.cu -o ${generated}/nvcc_thrust)
  sinter_gpu_test(headers/nvcc_thrust ${generated}/nvcc_thrust)
  sinter_nvcc_test(headers/nvcc_linked ${folder}/link.sh ${SINTER_NVCC} sm_75 ${generated}/nvcc_linked
                   ${folder}/linked.cu ${folder}/nets.cu ${folder}/functors.cu ${folder}/options.cu
                   ${folder}/heads.cu ${folder}/files.cu)
  sinter_gpu_test(headers/nvcc_linked ${generated}/nvcc_linked/program)

  sinter_nvcc_test(headers/nvcc_control ${folder}/nvcc.sh ${SINTER_NVCC} sm_75 ${generated}/control ${folder}/spills.cu)
  sinter_nvcc_test(headers/nvcc_machine_code_control ${folder}/sass.py ${SINTER_NVCC} ${generated}/control/spills_sm_75.cubin)
  if(SINTER_NVCC)
    set_tests_properties(headers/nvcc_control PROPERTIES PASS_REGULAR_EXPRESSION
                         "refused: [0-9]+ bytes stack frame, [0-9]+ bytes spill stores" FIXTURES_SETUP spills)
    set_tests_properties(headers/nvcc_machine_code_control PROPERTIES FIXTURES_REQUIRED spills PASS_REGULAR_EXPRESSION
                         "refused: [0-9]+ accesses of local memory.*refused: no loop of a product")
  endif()
endif()

# The judge of kernels: a log that passes, and those that it must refuse.
function(sinter_ptxas_control name frame registers verdict)
  file(CONFIGURE OUTPUT ${generated}/ptxas/${name}.log CONTENT
"ptxas info    : Compiling entry function 'k' for 'sm_90'
    ${frame}
ptxas info    : Used ${registers}, used 1 barriers
")
  add_test(NAME headers/ptxas_${name} COMMAND awk -f ${folder}/ptxas.awk ${generated}/ptxas/${name}.log)
  set_tests_properties(headers/ptxas_${name} PROPERTIES LABELS headers PASS_REGULAR_EXPRESSION "${verdict}")
endfunction()
set(nothing "0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads")
sinter_ptxas_control(passes "${nothing}" "128 registers" "^1 kernels, at most 128 registers")
sinter_ptxas_control(stack "8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" "9 registers" "refused: 8 bytes.* in k")
sinter_ptxas_control(stores "0 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads" "9 registers" "refused: 0 bytes.* in k")
sinter_ptxas_control(loads "0 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads" "9 registers" "refused: 0 bytes.* in k")
sinter_ptxas_control(registers "${nothing}" "129 registers" "refused: 129 registers in k")
sinter_ptxas_control(unread "no such line" "9 registers" "refused: cannot read the log: 1 kernels, 0 frames")
