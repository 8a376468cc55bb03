# SPDX-License-Identifier: MIT
# find_package(sinter) for others: headers, exported targets, config and version files. The component cuda has an export
# of its own: the runtime that it links is found where the package is used.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/sinter)
foreach(name sinter sinter_cuda)
  string(REPLACE _ - file ${name}-targets.cmake)
  install(TARGETS ${name} EXPORT ${name}_targets FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${name}_targets NAMESPACE sinter:: FILE ${file} DESTINATION ${package_dir})
endforeach()

# Not as -isystem: nvcc reports nothing in system headers, not even the host functions of a user's that a GPU cannot call.
set_target_properties(sinter sinter_cuda PROPERTIES EXPORT_NO_SYSTEM ON)

install(TARGETS sinter_native EXPORT sinter_targets)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sinter-config.cmake.in
                              ${PROJECT_BINARY_DIR}/package/sinter-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/sinter-config-version.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/package/sinter-config.cmake ${PROJECT_BINARY_DIR}/package/sinter-config-version.cmake
              ${CMAKE_CURRENT_LIST_DIR}/sinter-cuda.cmake ${CMAKE_CURRENT_LIST_DIR}/sinter-library.cmake
              ${CMAKE_CURRENT_LIST_DIR}/sinter-compiled.cmake ${CMAKE_CURRENT_LIST_DIR}/compiled.cpp ${CMAKE_CURRENT_LIST_DIR}/kernels.cpp
              ${CMAKE_CURRENT_LIST_DIR}/sinter-mpi.cmake ${CMAKE_CURRENT_LIST_DIR}/sinter-nccl.cmake
              ${CMAKE_CURRENT_LIST_DIR}/model_library.h.in ${CMAKE_CURRENT_LIST_DIR}/trainable_library.h.in
              ${CMAKE_CURRENT_LIST_DIR}/trainable_library.cpp.in ${CMAKE_CURRENT_LIST_DIR}/trainable_library.f90.in
        DESTINATION ${package_dir})
# For pkg-config, and through it for Autotools and Meson. It names no folder, so that the tree may be moved.
configure_file(${CMAKE_CURRENT_LIST_DIR}/sinter.pc.in ${PROJECT_BINARY_DIR}/package/sinter.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/sinter.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/tools/from_pytorch.py ${PROJECT_SOURCE_DIR}/tools/from_onnx.py ${PROJECT_SOURCE_DIR}/tools/from_nam.py
        ${PROJECT_SOURCE_DIR}/tools/from_rtneural.py ${PROJECT_SOURCE_DIR}/tools/from_keras.py ${PROJECT_SOURCE_DIR}/tools/from_sklearn.py ${PROJECT_SOURCE_DIR}/tools/model_library
        ${PROJECT_SOURCE_DIR}/tools/names ${PROJECT_SOURCE_DIR}/tools/single_header.py DESTINATION ${CMAKE_INSTALL_DATADIR}/sinter)
file(GLOB modules_of_from_onnx CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/onnx_*.py)
set(modules_of_converters attention_values compile_check function_values graph_builder layer_graph layer_shapes
    layer_values layers_over_time numpy_weights pytorch_trace quoting recurrent_values shape_check transformer_blocks value_check
    window_values written_network)
file(GLOB modules_of_from_keras CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/keras_*.py)
list(TRANSFORM modules_of_converters REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/tools/\\1.py")
install(FILES ${modules_of_converters} ${modules_of_from_onnx} ${modules_of_from_keras} DESTINATION ${CMAKE_INSTALL_DATADIR}/sinter)
