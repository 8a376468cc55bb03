# SPDX-License-Identifier: MIT
# Ways for another project to use sinter, each building and running tests/consumers/main.cpp; to have a part of it
# compiled once; what its components say; and three ways to use it on a GPU, each building tests/consumers/cuda/main.cu, and then running
# it where there is one.
set(consumers ${CMAKE_CURRENT_BINARY_DIR}/consumers)
set(stage ${consumers}/stage)

add_test(NAME consumers/install COMMAND ${CMAKE_COMMAND} --install ${PROJECT_BINARY_DIR} --prefix ${stage})
set_tests_properties(consumers/install PROPERTIES FIXTURES_SETUP sinter_stage LABELS consumers)

function(sinter_consumer name)
  add_test(NAME consumers/${name}
           COMMAND ${CMAKE_CTEST_COMMAND}
           --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${name} ${consumers}/${name}
           --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} ${ARGN}
           --test-command ${consumers}/${name}/consumer)
  set_tests_properties(consumers/${name} PROPERTIES LABELS consumers TIMEOUT 600)
endfunction()
sinter_consumer(find_package -DCMAKE_PREFIX_PATH=${stage})
set_tests_properties(consumers/find_package PROPERTIES FIXTURES_REQUIRED sinter_stage)
sinter_consumer(native -DCMAKE_PREFIX_PATH=${stage})
set_tests_properties(consumers/native PROPERTIES LABELS "consumers;slow;change" FIXTURES_REQUIRED sinter_stage)
if(TARGET ranks.mpi)
  sinter_consumer(mpi -DCMAKE_PREFIX_PATH=${stage})
  set_tests_properties(consumers/mpi PROPERTIES FIXTURES_REQUIRED sinter_stage
                       ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
else()
  sinter_skipped_test(consumers/mpi consumers "no MPI found; ./setup --mpi installs one")
endif()
add_test(NAME consumers/native_targets COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/native_targets.sh ${consumers}/native_targets ${stage})
set_tests_properties(consumers/native_targets PROPERTIES LABELS "consumers;slow" TIMEOUT 900 FIXTURES_REQUIRED sinter_stage
                     ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
sinter_consumer(add_subdirectory)
sinter_consumer(fetch_content -DFETCHCONTENT_SOURCE_DIR_SINTER=${PROJECT_SOURCE_DIR})

# The installed converters have what they import.
find_program(SINTER_PYTHON3 python3)
if(SINTER_PYTHON3)
  add_test(NAME consumers/converters COMMAND ${SINTER_PYTHON3} ${CMAKE_CURRENT_SOURCE_DIR}/consumers/converters.py ${CMAKE_COMMAND}
           ${PROJECT_BINARY_DIR} ${consumers}/converters ${CMAKE_INSTALL_DATADIR}/sinter)
  set_tests_properties(consumers/converters PROPERTIES LABELS consumers)
else()
  sinter_skipped_test(consumers/converters consumers "no python3 found")
endif()

# With sinter::compiled, from a package and from a copy; and without a build system.
sinter_consumer(compiled -DCMAKE_PREFIX_PATH=${stage} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0)
set_tests_properties(consumers/compiled PROPERTIES LABELS "consumers;slow" FIXTURES_REQUIRED sinter_stage)
add_test(NAME consumers/compiled_subdirectory
         COMMAND ${CMAKE_CTEST_COMMAND} --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumers/compiled ${consumers}/compiled_subdirectory
         --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
         -DSINTER_FOLDER=${PROJECT_SOURCE_DIR} -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 --test-command ${consumers}/compiled_subdirectory/consumer)
add_test(NAME consumers/compiled_bare COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/compiled.sh ${consumers}/compiled_bare)
set_tests_properties(consumers/compiled_subdirectory PROPERTIES LABELS "consumers;slow" TIMEOUT 600)
set_tests_properties(consumers/compiled_bare PROPERTIES LABELS "consumers;slow" TIMEOUT 600 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")

# What a program takes from sinter::kernels.
add_test(NAME consumers/compiled_kernels COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/compiled_kernels.sh ${CMAKE_CXX_COMPILER}
         ${consumers}/compiled_kernels)
set_tests_properties(consumers/compiled_kernels PROPERTIES LABELS "consumers;slow;change" TIMEOUT 600)

# A network compiled to a library with a C interface, used by C and by Python.
add_test(NAME consumers/model_library
         COMMAND ${CMAKE_CTEST_COMMAND}
         --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumers/model_library ${consumers}/model_library
         --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
         -DCMAKE_PREFIX_PATH=${stage} -DCMAKE_BUILD_TYPE=Release
         --test-command ${CMAKE_CURRENT_SOURCE_DIR}/consumers/model_library/run.sh ${consumers}/model_library)
set_tests_properties(consumers/model_library PROPERTIES LABELS "consumers;slow" TIMEOUT 600 FIXTURES_REQUIRED sinter_stage
                     FIXTURES_SETUP sinter_digits)

# Networks compiled to a library with a C interface that trains them.
add_test(NAME consumers/trainable_library
         COMMAND ${CMAKE_CTEST_COMMAND}
         --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumers/trainable_library ${consumers}/trainable_library
         --build-generator ${CMAKE_GENERATOR} --build-options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
         -DCMAKE_PREFIX_PATH=${stage} -DCMAKE_BUILD_TYPE=Release
         --test-command ${CMAKE_CURRENT_SOURCE_DIR}/consumers/trainable_library/run.sh ${consumers}/trainable_library)
set_tests_properties(consumers/trainable_library PROPERTIES LABELS "consumers;slow" TIMEOUT 600 FIXTURES_REQUIRED sinter_stage
                     FIXTURES_SETUP sinter_nets)
# By C# with that library, and by a solver in Fortran that trains while it runs.
add_test(NAME consumers/csharp COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/csharp.sh ${consumers}/csharp
         ${consumers}/trainable_library)
add_test(NAME consumers/fortran COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/fortran.sh ${consumers}/fortran ${stage})
set_tests_properties(consumers/csharp consumers/fortran PROPERTIES LABELS "consumers;slow" SKIP_RETURN_CODE 77 TIMEOUT 600
                     FIXTURES_REQUIRED "sinter_stage;sinter_nets" ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")

# The same, with the weights and rows of that one, by a Makefile, and by Meson and Bazel where they are there.
foreach(script make meson bazel)
  add_test(NAME consumers/${script} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${script}.sh ${consumers}/${script} ${stage}
           ${consumers}/model_library)
  set_tests_properties(consumers/${script} PROPERTIES LABELS "consumers;slow" SKIP_RETURN_CODE 77 TIMEOUT 600
                       FIXTURES_REQUIRED "sinter_stage;sinter_digits"
                       ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endforeach()

# By the flags of pkg-config; and as one file.
foreach(script pkg_config single_header)
  add_test(NAME consumers/${script} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${script}.sh ${consumers}/${script} ${stage})
  set_tests_properties(consumers/${script} PROPERTIES LABELS "consumers;slow" SKIP_RETURN_CODE 77 TIMEOUT 600
                       FIXTURES_REQUIRED sinter_stage ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endforeach()

# A release, and what others make of it.
foreach(script release meson_wrap vcpkg debian arduino)
  add_test(NAME consumers/${script}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${script}.sh ${consumers}/${script} ${consumers}/release/release)
  set_tests_properties(consumers/${script} PROPERTIES LABELS "consumers;slow" SKIP_RETURN_CODE 77 TIMEOUT 600
                       FIXTURES_REQUIRED sinter_release ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endforeach()
set_tests_properties(consumers/release PROPERTIES FIXTURES_REQUIRED "" FIXTURES_SETUP sinter_release)

foreach(script bare conan setup)
  add_test(NAME consumers/${script} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/${script}.sh ${consumers}/${script})
  set_tests_properties(consumers/${script} PROPERTIES LABELS consumers SKIP_RETURN_CODE 77 TIMEOUT 900
                       ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endforeach()
set_tests_properties(consumers/conan PROPERTIES FIXTURES_SETUP sinter_conan LABELS "consumers;slow;change")
add_test(NAME consumers/compiled_once
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumers/compiled_once.sh ${consumers}/compiled_once ${SINTER_MNIST_SUBSET})
set_tests_properties(consumers/compiled_once PROPERTIES LABELS "consumers;slow" TIMEOUT 600 ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")

add_test(NAME consumers/components
         COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_SOURCE_DIR}/consumers/components -B ${consumers}/components -G ${CMAKE_GENERATOR}
         -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_PREFIX_PATH=${stage})
string(CONCAT answers "sinter: the component \"cuda\" needs a CUDA toolkit.*"
       "sinter: the component \"mpi\" needs an MPI.*sinter has no component \"opencl\".*"
       "CMake Error[^\n]*find_package.*the component \"cuda\" needs a CUDA toolkit")
set_tests_properties(consumers/components PROPERTIES LABELS consumers FIXTURES_REQUIRED sinter_stage
                     PASS_REGULAR_EXPRESSION "${answers}" FAIL_REGULAR_EXPRESSION "wrong: ")

# A plain configure and install, where there is no doctest.
add_test(NAME consumers/plain
         COMMAND sh -c "cmake -S '${PROJECT_SOURCE_DIR}' -B '${consumers}/plain' -G '${CMAKE_GENERATOR}' -D CMAKE_DISABLE_FIND_PACKAGE_doctest=ON \
-D CMAKE_CXX_COMPILER='${CMAKE_CXX_COMPILER}' -D SINTER_CUDA=OFF && cmake --install '${consumers}/plain' --prefix '${consumers}/plain/stage'")
set_tests_properties(consumers/plain PROPERTIES LABELS consumers PASS_REGULAR_EXPRESSION "stage/include/sinter/sinter.hpp")

if(SINTER_CUDA)
  set(options -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -DCMAKE_CUDA_COMPILER=${SINTER_NVCC} -DCMAKE_CUDA_ARCHITECTURES=75)
  function(sinter_cuda_consumer name)
    sinter_nvcc_test(consumers/cuda_${name} ${CMAKE_CTEST_COMMAND}
                     --build-and-test ${CMAKE_CURRENT_SOURCE_DIR}/consumers/cuda/${name} ${consumers}/cuda_${name}
                     --build-generator ${CMAKE_GENERATOR} --build-options ${options} ${ARGN}
                     --test-command ${CMAKE_CURRENT_SOURCE_DIR}/headers/needs.sh ${consumers}/cuda_${name}/consumer)
  endfunction()
  sinter_cuda_consumer(find_package -DCMAKE_PREFIX_PATH=${stage})
  sinter_cuda_consumer(add_subdirectory)
  sinter_nvcc_test(consumers/cuda_conan ${CMAKE_CURRENT_SOURCE_DIR}/consumers/cuda/conan.sh ${consumers}/conan/home
                   ${consumers}/cuda_conan -G ${CMAKE_GENERATOR} ${options})
  set_tests_properties(consumers/cuda_find_package PROPERTIES FIXTURES_REQUIRED sinter_stage)
  set_tests_properties(consumers/cuda_conan PROPERTIES FIXTURES_REQUIRED sinter_conan)
  foreach(name find_package add_subdirectory conan)
    sinter_gpu_test(consumers/cuda_${name} ${consumers}/cuda_${name}/consumer)
  endforeach()
endif()
