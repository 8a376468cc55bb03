# SPDX-License-Identifier: MIT
# Files between sinter and Python's packages. Skipped where these lack; the label is python.
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/io/pytorch)
add_executable(io.exchange ${folder}/exchange.cpp)
target_link_libraries(io.exchange PRIVATE sinter_own)
target_compile_options(io.exchange PRIVATE -O1)
add_test(NAME io/pytorch COMMAND ${folder}/python.sh "torch safetensors numpy" ${folder}/exchange.py $<TARGET_FILE:io.exchange>
                                 ${CMAKE_CURRENT_BINARY_DIR}/exchange)
set_tests_properties(io/pytorch PROPERTIES LABELS "io;python" SKIP_RETURN_CODE 77 TIMEOUT 600)
