# SPDX-License-Identifier: MIT
# The library: sinter::sinter, headers only.
find_package(Threads REQUIRED)

file(GLOB_RECURSE SINTER_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/sinter/*.hpp)

add_library(sinter INTERFACE)
add_library(sinter::sinter ALIAS sinter)
target_compile_features(sinter INTERFACE cxx_std_20)
target_link_libraries(sinter INTERFACE Threads::Threads)
target_sources(sinter INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include FILES ${SINTER_HEADERS})
