# SPDX-License-Identifier: MIT
# Quantized networks in onnxruntime. Skipped where Python's packages are missing; the label is python.
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/int8/python)
add_executable(int8.python_write ${folder}/write.cpp)
target_link_libraries(int8.python_write PRIVATE sinter::compiled sinter_own)
target_compile_options(int8.python_write PRIVATE -O1)
if(NOT SINTER_LARGE_TESTS)
  set_target_properties(int8.python_write PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
add_dependencies(label.large int8.python_write)
add_test(NAME int8/python_onnx
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/io/pytorch/python.sh "onnx onnxruntime safetensors numpy" ${folder}/onnx_models.py
                 $<TARGET_FILE:int8.python_write> ${CMAKE_CURRENT_BINARY_DIR}/int8_onnx)
set_tests_properties(int8/python_onnx PROPERTIES LABELS "int8;python;slow" SKIP_RETURN_CODE 77 TIMEOUT 600)
