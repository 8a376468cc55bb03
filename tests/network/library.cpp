// SPDX-License-Identifier: MIT
// What sinter/library.hpp says of shapes, to C. The rest of it is compiled and called by consumers/model_library.
#include <doctest/doctest.h>

#include <cstddef>
#include <sinter/library.hpp>
#include <vector>

using namespace sinter::internal;

TEST_CASE("a shape as sizes without the height of a series") {
  const auto sizes_of = [](Dims dims) {
    std::size_t sizes[3] = {};
    const std::size_t rank = detail::library_shape(dims, sizes);
    return std::vector<std::size_t>(sizes, sizes + rank);
  };
  CHECK(sizes_of(features(7)) == std::vector<std::size_t>{7});
  CHECK(sizes_of(series(3, 5)) == std::vector<std::size_t>{3, 5});
  CHECK(sizes_of(image(2, 3, 4)) == std::vector<std::size_t>{2, 3, 4});
}
