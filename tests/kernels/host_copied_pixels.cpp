// SPDX-License-Identifier: MIT
// labels: large
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
