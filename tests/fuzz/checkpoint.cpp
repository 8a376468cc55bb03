// SPDX-License-Identifier: MIT
// libFuzzer target: what a checkpoint says of its training, with tensors and a checksum that are right, is either taken,
// and then the training continues, or refused, and then it is unchanged. The text ends at the first byte 0; after it
// are the numbers that fit keeps.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <sinter/io.hpp>
#include <sinter/layers/linear.hpp>
#include <sinter/optimizer/adam.hpp>
#include <sinter/sinter.hpp>

namespace {
struct Net : sinter::Sequential<sinter::Input<2>, sinter::Linear<2>> {};
using Reference = sinter::Network<Net, sinter::Reference>;
using Data = sinter::LabelledData<float, sinter::Shape<2>, int>;

void require(bool right) {
  if (!right) std::abort();
}
std::vector<std::byte> file_of(const auto& trainer, const std::string& text) {
  namespace detail = sinter::internal::detail;
  const auto snapshot = trainer.snapshot();
  const auto& arena = trainer.network().to_host();
  const auto tensors = detail::checkpoint_tensors<Net>(arena.data(), snapshot.state.data(), sinter::Adam::states);
  sinter::internal::Metadata metadata = detail::metadata_of({}, "");
  metadata.emplace_back(detail::key_checkpoint, text);
  return detail::bytes_with_checksum(tensors, metadata);
}
/// What a checkpoint keeps of fit itself.
void take_numbers(std::vector<double> numbers) {
  sinter::FitOptions<Data, Reference, sinter::CrossEntropyLoss> options{.batch_size = 4, .epochs = 3};
  sinter::internal::detail::FitProgress at;
  at.training_rows = at.history.samples_per_epoch = 10;
  sinter::EarlyStopping stopping;
  try {
    sinter::internal::KeptNumbers keep(std::move(numbers));
    sinter::internal::detail::keep_fit(keep, options, at, stopping);
    require(at.epoch >= 1 && at.first <= 10 && at.history.epochs.size() < 4096);
  } catch (const sinter::Error&) {
  }
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* const end = std::find(data, data + size, std::uint8_t{0});
  const std::string text(data, end);
  const std::size_t left = end == data + size ? 0 : static_cast<std::size_t>(data + size - end) - 1;
  std::vector<double> numbers(left / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), end + 1, numbers.size() * sizeof(double));
  take_numbers(std::move(numbers));

  Reference net;
  sinter::Trainer trainer{net, sinter::CrossEntropyLoss{}, sinter::Adam{.lr = 0.01}};
  const sinter::Tensor<float, sinter::Shape<2>> x{{1, 2, 3, 4}};
  const std::vector<int> labels{0, 1};
  trainer.step(x, labels);
  const auto before = net.to_host();
  const auto snapshot = trainer.snapshot();
  try {
    const auto file = file_of(trainer, text);
    sinter::internal::detail::resume_from(trainer, sinter::parse_safetensors(file), "the checkpoint");
    const auto now = trainer.snapshot();
    require(now.steps >= 0 && now.attempts >= now.steps && std::isfinite(now.rate));
    try {
      trainer.step(x, labels);
    } catch (const sinter::Error&) {  // a rate that Adam cannot have
    }
  } catch (const sinter::Error&) {
    const auto now = trainer.snapshot();
    require(std::memcmp(net.data(), before.data(), before.size() * sizeof(float)) == 0);
    require(now.steps == snapshot.steps && now.attempts == snapshot.attempts && now.rate == snapshot.rate);
  }
  return 0;
}
