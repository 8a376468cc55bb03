// SPDX-License-Identifier: MIT
// labels: threads large
#include <doctest/doctest.h>

#include <sinter/data/batches.hpp>
#include <sinter/data/labelled_data.hpp>
#include <sinter/data/read_ahead.hpp>
#include <sinter/layers/activation.hpp>
#include <sinter/layers/linear.hpp>
#include <sinter/loss/cross_entropy.hpp>
#include <sinter/model/sequential.hpp>
#include <sinter/optimizer/sgd.hpp>
#include <sinter/train/trainer.hpp>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
struct Net : Sequential<Input<8>, Linear<16>, Tanh, Linear<5>> {};
using Bytes = std::vector<std::uint8_t>;

std::vector<float> trained(int threads, const auto& data) {
  Network<Net> net{Host{.threads = threads}, {.seed = 4}};
  Trainer trainer(net, CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9});
  for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
    for (const auto& batch : batches(data, {.batch_size = 70, .seed = 4, .epoch = epoch})) trainer.step(batch);
  return {net.data(), net.data() + net.to_host().size()};
}
}  // namespace

TEST_CASE("a training from files has the bits of one from memory, with any number of threads") {
  const TemporaryFolder folder;
  const Normalize scale = Normalize::pixels(0.5f, 0.25f);
  Bytes inputs, labels, records;
  for (std::size_t row = 0; row < 500; ++row) {
    labels.push_back(static_cast<std::uint8_t>(row * row % 5));
    records.push_back(labels.back());
    for (std::size_t k = 0; k < 8; ++k) inputs.push_back(static_cast<std::uint8_t>(row * (k + 3) % 251));
    records.insert(records.end(), inputs.end() - 8, inputs.end());
  }
  write_bytes(folder / "a.bin", Bytes(records.begin(), records.begin() + 123 * 9));
  write_bytes(folder / "b.bin", Bytes(records.begin() + 123 * 9, records.end()));
  const LabelledData<std::uint8_t, Shape<8>, std::uint8_t> memory(inputs, labels, scale);
  const RecordFiles<std::uint8_t, Shape<8>, std::uint8_t> files({folder / "a.bin", folder / "b.bin"}, scale);
  const auto wanted = trained(1, memory);
  for (const int threads : {1, 2, 3}) CHECK(trained(threads, files) == wanted);

  // Labels are looked at where the network is: in the step.
  records[400 * 9] = 5;
  write_bytes(folder / "b.bin", Bytes(records.begin() + 123 * 9, records.end()));
  CHECK(error_of([&] { trained(1, files); }).find("of the labels is 5, expected 0 to 4") != std::string::npos);
}
