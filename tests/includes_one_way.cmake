# SPDX-License-Identifier: MIT
# Included by tests/CMakeLists.txt: adds the tests. Run as `cmake -D ROOT=<folder of rooms> -P includes_one_way.cmake`:
# fails if a header of one room includes a room that it may not know, or an .hpp what needs the CUDA toolkit.
#
# <room> <- the rooms it may include; what those may include follows.
set(rooms
  "core"
  "fn        <- core"
  "ops       <- fn"
  "layers    <- ops"
  "model     <- layers"
  "data      <- core"
  "loss      <- fn"
  "optimizer <- core"
  "device    <- core"
  "plan      <- model"
  "kernels   <- plan data loss optimizer device"
  "kernels/host/products <- kernels"
  "kernels/host/plan     <- kernels/host/products"
  "kernels/host/tile     <- kernels/host/plan"
  "kernels/host/stages   <- kernels/host/tile"
  "kernels/host/step     <- kernels/host/stages"
  "kernels/host/single   <- kernels/host/step"
  "kernels/host/stream   <- kernels/host/single"
  "kernels/host      <- kernels/host/stream"
  "kernels/gpu       <- kernels"
  "kernels/reference <- kernels"
  "kernels/cuda      <- kernels/gpu"
  "network   <- kernels/host kernels/cuda kernels/reference"
  "report    <- data"
  "train     <- network report"
  "io        <- network"
  "serve     <- network"
  "int8      <- io"
  "ranks     <- train"
  "parallel  <- io train"
  "thrust    <- train"
  "library   <- io train")
include(${CMAKE_CURRENT_LIST_DIR}/read_headers.cmake)

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(planted ${CMAKE_CURRENT_BINARY_DIR}/includes_one_way)
  file(WRITE ${planted}/core/shape.hpp "#include <vector>\n")
  file(WRITE ${planted}/fn/relu.hpp "#include <sinter/core/shape.hpp>\n#include \"../core/shape.hpp\"\n#include \"tanh.hpp\"\n")
  file(WRITE ${planted}/layers/linear.hpp "  #  include <sinter/device/host.hpp>  // against the arrow\n")
  file(WRITE ${planted}/ops/map.hpp "#include \"../fn/relu.hpp\"\n")
  file(WRITE ${planted}/fn/map.hpp "#include <sinter/ops/map.hpp>\n")
  file(WRITE ${planted}/model/program.hpp "#include \"sinter/model/sequential.hpp\"\n#include \"../network/network.hpp\"\n")
  file(WRITE ${planted}/kernels/plan.hpp "#include <sinter/model/program.hpp>\n")
  file(WRITE ${planted}/kernels/gpu/forward.hpp "#include \"sinter/kernels/plan.hpp\"\n#include \"../host/tile/tile.hpp\"\n")
  file(WRITE ${planted}/report/progress.hpp "#include \"sinter/data/file.hpp\"\n#include \"sinter/train/callbacks.hpp\"\n")
  file(WRITE ${planted}/train/callbacks.hpp "#include \"sinter/report/progress.hpp\"\n")
  file(WRITE ${planted}/kernels/host/plan/plan.hpp "#include \"sinter/kernels/host/step/step.hpp\"\n")
  file(WRITE ${planted}/core/all.hpp "#include <sinter/sinter.hpp>\n")
  file(WRITE ${planted}/attic/old.hpp "")
  file(WRITE ${planted}/device/cuda.cuh "#include <cuda_runtime_api.h>\n")
  file(WRITE ${planted}/device/memory.hpp "#include \"cuda.cuh\"\n#include <cuda_runtime.h>\n")

  string(CONCAT refusal "attic/old.hpp: no such room.*core/all.hpp:1 includes sinter.hpp.*"
         "device/memory.hpp:1 includes cuda.cuh.*device/memory.hpp:2 includes cuda_runtime.h.*"
         "fn/map.hpp:1 includes ops/map.hpp.*kernels/gpu/forward.hpp:2 includes kernels/host/tile/tile.hpp.*"
         "kernels/host/plan/plan.hpp:1 includes kernels/host/step/step.hpp.*"
         "layers/linear.hpp:1 includes device/host.hpp.*"
         "model/program.hpp:2 includes network/network.hpp, and model may.*"
         "report/progress.hpp:2 includes train/callbacks.hpp, and report may.*10 wrong")
  sinter_script_test(includes_one_way ${PROJECT_SOURCE_DIR}/include/sinter ${planted} "${refusal}")
  return()
endif()

cmake_policy(VERSION 3.25)
foreach(line IN LISTS rooms)
  string(REGEX MATCHALL "[a-z0-9/]+" words "${line}")
  list(POP_FRONT words room)
  set(may_${room} ${room})
  foreach(word IN LISTS words)
    list(APPEND may_${room} ${may_${word}})
  endforeach()
endforeach()

sinter_find_headers(headers)
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH room)
  if(NOT room)
    continue()
  endif()
  if(NOT DEFINED may_${room})
    sinter_wrong("${header}: no such room: name its arrow in tests/includes_one_way.cmake")
    continue()
  endif()
  sinter_read_lines(lines ${header})
  set(number 0)
  foreach(line IN LISTS lines)
    math(EXPR number "${number} + 1")
    if(header MATCHES "\\.[hi]pp$" AND line MATCHES "^[ \t]*#[ \t]*include[ \t]*[<\"](cu[a-z_]+\\.h|[^>\"]+\\.cuh)[>\"]")
      sinter_wrong("${header}:${number} includes ${CMAKE_MATCH_1}, which needs the CUDA toolkit: so does a .cuh only")
    endif()
    if(line MATCHES "^[ \t]*#[ \t]*include[ \t]*<sinter/([^>]+)>")
      set(target ${CMAKE_MATCH_1})
    elseif(line MATCHES "^[ \t]*#[ \t]*include[ \t]*\"([^\"]+)\"")
      set(target ${CMAKE_MATCH_1})
      if(NOT target MATCHES "^sinter/")
        cmake_path(GET header PARENT_PATH folder)
        set(target ${folder}/${target})
        cmake_path(NORMAL_PATH target)
      endif()
      string(REGEX REPLACE "^sinter/" "" target ${target})
    else()
      continue()
    endif()
    cmake_path(GET target PARENT_PATH into)
    if(NOT into IN_LIST may_${room} AND NOT target STREQUAL "version.hpp")
      sinter_wrong("${header}:${number} includes ${target}, and ${room} may include only ${may_${room}}")
    endif()
  endforeach()
endforeach()
sinter_end("wrong")
