// SPDX-License-Identifier: MIT
// labels: large wide_vectors
#include "support/host_check.hpp"
#include "support/more_networks.hpp"

using namespace sinter::internal;
using namespace sinter_test;

TEST_CASE("one row of convolutions that copy their pixels") { check_host(networks::CopiedPixels{}); }

// Packs of 8 and 16 floats, which have several rows of these images, whatever this program is compiled for.
TEST_CASE_TEMPLATE("one row of small images, whose rows are computed as one", Isa, isa::Avx2, isa::Avx512Wide) {
  []<class... Cases>(TypeList<Cases...>) {
    (check_host<typename Cases::Model, typename Cases::Loss, Isa>(Cases{}), ...);
    (check_host_float<typename Cases::Model, typename Cases::Loss, Isa>(Cases{}), ...);
  }(networks::SmallImages{});
}

// 128 x 64 pixels are more than the first cache holds, so they are copied, too.
TEST_CASE("one row of a small image with many channels, whose rows are computed as one from copied pixels") {
  using Case = networks::Chain<Input<128, 8, 8>, Tanh, Conv2d<256, 1>, ReLU>;
  using Isa = isa::Avx512Wide;
  using Blocks = host_kernels::ImageBlocks<TilePlan<Case::Model, float, Isa>, 1>;
  static_assert(Blocks::in_one_row && Blocks::packed);
  check_host_float<Case::Model, Case::Loss, Isa>(Case{});
}
