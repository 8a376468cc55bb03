// SPDX-License-Identifier: MIT
// labels: large sanitized
#include <doctest/doctest.h>

#include <cstddef>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {
struct Tower : Shared<Linear<6>, ReLU, Linear<3>> {};
struct Siamese : Sequential<Input<8>, Concat<Path<Slice<0, 4>, Tower>, Path<Slice<4, 4>, Tower>>, Linear<1>> {};
}  // namespace

TEST_CASE("shared weights are saved once and loaded for every place") {
  const Network<Siamese> net{{.seed = 3}};
  Network<Siamese> other{{.seed = 4}};
  const Loaded loaded = load(other, save_bytes(net));
  CHECK(loaded.taken == std::vector<std::string>{"0.0.1.0.weight", "0.0.1.0.bias", "0.0.1.2.weight", "0.0.1.2.bias",
                                                 "1.weight", "1.bias"});
  CHECK(same(weights(other), weights(net)));
}

TEST_CASE("what PyTorch's state_dict has in every place is loaded if the copies are equal") {
  const Network<Siamese> net{{.seed = 3}};
  const auto bytes = save_bytes(net);
  TensorFile parsed = parse_safetensors(bytes);
  auto& tensors = parsed.tensors;
  for (std::size_t i = 0; i < 4; ++i) {
    NamedTensor copy = tensors[i];
    copy.name[2] = '1';  // "0.1.1.0.weight" for "0.0.1.0.weight"
    tensors.push_back(copy);
  }
  Network<Siamese> other{{.seed = 4}};
  CHECK(load(other, safetensors_bytes(tensors)).problem().empty());
  CHECK(same(weights(other), weights(net)));

  std::vector<std::byte> changed(tensors[6].bytes.begin(), tensors[6].bytes.end());
  changed[0] ^= std::byte{1};
  const auto before = weights(other);
  auto unlike = tensors;
  unlike[6].bytes = changed;
  CHECK(error_of([&] { load(other, safetensors_bytes(unlike)); }) ==
        "the safetensors data has other numbers in " + tensors[6].name + " than in " + tensors[0].name +
            ", and the network has one tensor for both (Shared); save a model whose module is the same in both places");
  CHECK(same(weights(other), before));

  tensors.erase(tensors.begin(), tensors.begin() + 4);  // in the second place alone
  Network<Siamese> third{{.seed = 5}};
  CHECK(load(third, safetensors_bytes(tensors)).problem().empty());
  CHECK(same(weights(third), weights(net)));
}

TEST_CASE("describe and summary count them once") {
  const Network<Siamese> net;
  CHECK(summary_of<Siamese>.parameters == 6 * 4 + 6 + 3 * 6 + 3 + 6 + 1);
  CHECK(describe(net, 64).find("matmul 4->6") != std::string::npos);
}
