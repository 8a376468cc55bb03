# SPDX-License-Identifier: MIT
# Files exchanged with Python packages. Skipped if these are missing; the label is python. Those with PyTorch take long.
set(folder ${CMAKE_CURRENT_SOURCE_DIR}/io/pytorch)
add_executable(io.exchange ${folder}/exchange.cpp)
target_link_libraries(io.exchange PRIVATE sinter::compiled sinter_own)
target_compile_options(io.exchange PRIVATE -O1)
if(NOT SINTER_LARGE_TESTS)
  set_target_properties(io.exchange PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
add_dependencies(label.large io.exchange)

# sinter_python_test(<name> "<module>.." <script>)
function(sinter_python_test name modules script)
  add_test(NAME io/python_${name} COMMAND ${folder}/python.sh ${modules} ${folder}/${script} $<TARGET_FILE:io.exchange>
                                   ${CMAKE_CURRENT_BINARY_DIR}/exchange/${name})
  set_tests_properties(io/python_${name} PROPERTIES LABELS "io;python;slow" SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()
sinter_python_test(pytorch "torch safetensors numpy" exchange.py)
sinter_python_test(onnx "onnx onnxruntime safetensors numpy" onnx_models.py)
sinter_python_test(tensorboard "tensorboard" event_files.py)
# sinter_converter_test(<name> "<module>..")
function(sinter_converter_test name modules)
  add_test(NAME io/python_${name} COMMAND ${folder}/python.sh ${modules} ${folder}/${name}.py ${CMAKE_CXX_COMPILER}
                                   ${CMAKE_CURRENT_BINARY_DIR}/exchange/${name})
  set_tests_properties(io/python_${name} PROPERTIES LABELS "io;python;slow" SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()
sinter_converter_test(from_pytorch "torch numpy")
sinter_converter_test(from_onnx "numpy onnx onnxruntime")
sinter_converter_test(from_onnx_exact "numpy onnx onnxruntime")
sinter_converter_test(from_onnx_pytorch "torch numpy onnx onnxruntime")
sinter_converter_test(from_nam "torch numpy")
sinter_converter_test(from_rtneural "numpy")
sinter_converter_test(from_sklearn "numpy sklearn")
foreach(name from_keras from_keras_files from_keras_layers)
  sinter_converter_test(${name} "h5py keras numpy torch")
  set_tests_properties(io/python_${name} PROPERTIES ENVIRONMENT KERAS_BACKEND=torch)
endforeach()
sinter_converter_test(shapes_of_layers "numpy")
sinter_converter_test(compile_check "numpy")
sinter_converter_test(foreign_names "torch numpy onnx onnxruntime")
sinter_converter_test(planted_faults "torch numpy onnx onnxruntime")
sinter_converter_test(fuzz_compiled "torch numpy onnx onnxruntime")
sinter_converter_test(onnx_cases "numpy onnx onnxruntime")
# sinter_fuzz_test(<name> "<module>..") with few and many models
function(sinter_fuzz_test name modules)
  foreach(count 50 1000)
    add_test(NAME io/python_${name}_${count} COMMAND ${folder}/python.sh ${modules} ${folder}/${name}.py ${CMAKE_CXX_COMPILER}
                                              ${CMAKE_CURRENT_BINARY_DIR}/exchange/${name}_${count} ${count})
    set_tests_properties(io/python_${name}_${count} PROPERTIES LABELS "io;python;slow" SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()
endfunction()
sinter_fuzz_test(fuzz_onnx "numpy onnx onnxruntime")
sinter_fuzz_test(fuzz_pytorch "torch numpy")
# At every change: .ci/run.
set_tests_properties(io/python_pytorch io/python_from_pytorch io/python_planted_faults io/python_fuzz_onnx_50 io/python_fuzz_pytorch_50
                     io/python_from_sklearn io/python_from_keras PROPERTIES LABELS "io;python;slow;change")

# What tools/names prints.
add_test(NAME tools/names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/tools/names.sh ${CMAKE_CXX_COMPILER} ${CMAKE_CURRENT_BINARY_DIR}/names)
set_tests_properties(tools/names PROPERTIES LABELS io TIMEOUT 300)

# Weights as constants of a program that has nothing but sinter/inference.hpp.
add_executable(io.inference_make ${CMAKE_CURRENT_SOURCE_DIR}/io/inference/make.cpp)
target_link_libraries(io.inference_make PRIVATE sinter_own)
target_compile_options(io.inference_make PRIVATE -O1)
add_test(NAME io/inference COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/io/inference/run.sh ${CMAKE_CXX_COMPILER}
                                   $<TARGET_FILE:io.inference_make> ${CMAKE_CURRENT_BINARY_DIR}/inference ${SINTER_NATIVE_FLAGS}
         COMMAND_EXPAND_LISTS)
set_tests_properties(io/inference PROPERTIES LABELS io TIMEOUT 300)
