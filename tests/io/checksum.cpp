// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <sinter/io.hpp>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<3>, Linear<4>, BatchNorm1d<>, Tanh, Linear<2>> {};
struct Longer : Sequential<Input<3>, Linear<4>, BatchNorm1d<>, Tanh, Linear<2>, Linear<2>> {};
using Bytes = std::vector<std::byte>;

const float infinity = std::numeric_limits<float>::infinity(), not_a_number = std::numeric_limits<float>::quiet_NaN();

Bytes flipped(Bytes bytes, std::size_t bit) {
  bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
  return bytes;
}
/// The place of a text in a file.
std::size_t place_of(const Bytes& file, const std::string& text) {
  return std::string(reinterpret_cast<const char*>(file.data()), file.size()).find(text);
}
/// Flips each bit of a file. What loads all the same must have the weights of the whole file: then the name of the
/// checksum was changed, not what it is of. Returns how many did.
template <class Load>
std::size_t accepted_flips(const Bytes& file, const std::vector<float>& whole, const Load& load_into) {
  const std::size_t name = 8 * place_of(file, "\"sinter.checksum\""), end = name + 8 * 16;
  std::size_t accepted = 0;
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    Network<Net> net(NetworkOptions{.seed = 9});  // in a template, clang 19 finds {{.seed = 9}} ambiguous
    const auto before = weights(net);
    const std::string error = error_of([&] { load_into(net, flipped(file, bit)); });
    if (error != "(no error)") {
      REQUIRE(same(weights(net), before));
      continue;
    }
    CAPTURE(bit / 8);
    REQUIRE((bit >= name && bit < end));
    REQUIRE(same(weights(net), whole));
    ++accepted;
  }
  return accepted;
}

/// A network with a number in one of its tensors.
Network<Net> with(const std::string& tensor, std::size_t at, float number) {
  Network<Net> net{{.seed = 2}};
  for (auto& p : net.parameters())
    if (p.name == tensor) p.value[at] = number;
  for (auto& p : net.buffers())
    if (p.name == tensor) p.value[at] = number;
  return net;
}
const auto x = inputs<Shape<3>>(8);
const auto labels = labels_for(8, 2);

}  // namespace

TEST_CASE("any flipped bit of a file of weights is noticed, of its numbers and of what it says of the data") {
  const Network<Net> net{{.seed = 1}};
  const Bytes file = save_bytes(net, {.normalize = Normalize::pixels(0.5f, 0.25f),
                                      .classes = {"cat", "dog"},
                                      .metadata = {{"author", "me"}},
                                      .columns = NormalizeColumns{{1, 2, 3}, {1, 1, 2}},
                                      .categories = {{"town", {"Kiel", "Ulm"}}}});
  CHECK(accepted_flips(file, weights(net), [](auto& to, const Bytes& bytes) { load(to, bytes); }) < 16 * 8);
  for (const bool self_test : {true, false})
    CHECK(accepted_flips(file, weights(net), [&](auto& to, const Bytes& bytes) {
            load(to, bytes, {.partial = true, .self_test = self_test});
          }) < 16 * 8);
  Network<Net> other;
  const Bytes damaged = flipped(file, 8 * file.size() - 20);
  CHECK(error_of([&] { load(other, damaged, {}, "net.safetensors"); }) ==
        "net.safetensors has a wrong checksum; it is damaged, or was changed after it was written: get it again, or "
        "load it all the same by LoadOptions{.checksum = false}");
  CHECK(load(other, damaged, {.checksum = false, .self_test = false}).problem().empty());
  AnyOf<Net, Longer> any(Network<Net>{});
  CHECK(has(error_of([&] { load(any, damaged); }), "has a wrong checksum"));
}

TEST_CASE("any flipped bit of a checkpoint is noticed, also where only its weights are taken") {
  const TemporaryFolder folder;
  Network<Net> net{{.seed = 1}};
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  trainer.step(x, labels);
  save_checkpoint(trainer, folder / "run");
  const Bytes file = read_file(folder / "run", "checkpoint");
  std::uint64_t header = 0;
  std::memcpy(&header, file.data(), sizeof header);
  for (std::size_t bit = 8 * (8 + header); bit < 8 * file.size(); ++bit) {
    Network<Net> other;
    REQUIRE(has(error_of([&] { load(other, flipped(file, bit), {.partial = true}); }), "has a wrong checksum"));
  }
}

TEST_CASE("the order of a file's contents does not change its checksum, and files without one are taken") {
  const Network<Net> net{{.seed = 1}};
  const Bytes bytes = save_bytes(net, {.classes = {"cat", "dog"}});
  TensorFile file = parse_safetensors(bytes);
  std::reverse(file.metadata.begin(), file.metadata.end());
  std::reverse(file.tensors.begin(), file.tensors.end());
  Network<Net> other;
  CHECK(load(other, safetensors_bytes(file.tensors, file.metadata)).self_tested);
  std::erase_if(file.metadata, [](const auto& entry) { return entry.first == "sinter.checksum"; });
  other = Network<Net>{{.seed = 3}};
  CHECK(load(other, safetensors_bytes(file.tensors, file.metadata)).self_tested);
  CHECK(same(weights(other), weights(net)));
  CHECK(load(other, safetensors_bytes(file.tensors)).problem().empty());
}

TEST_CASE("weights that are NaN or infinite are not saved, unless that is meant") {
  const TemporaryFolder folder;
  const std::string path = folder / "net.safetensors";
  CHECK(error_of([&] { save(with("0.weight", 5, not_a_number), path); }) ==
        "the network that was to be saved has NaN or infinity in 0.weight [4, 3], 1 time; train it again from weights "
        "that have none, or save them all the same by FileOptions{.allow_nan = true}");
  CHECK(read_text(path).empty());
  for (const char* const tensor :
       {"0.weight", "0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var", "3.weight", "3.bias"})
    for (const float number : {not_a_number, infinity, -infinity})
      for (const std::size_t at : {std::size_t{0}, std::size_t{1}}) {
        CAPTURE(tensor);
        const Network<Net> net = with(tensor, at, number);
        CHECK(has(error_of([&] { save_bytes(net); }), std::string("has NaN or infinity in ") + tensor));
        const Bytes bytes = save_bytes(net, {}, {.allow_nan = true});
        Network<Net> other{{.seed = 3}};
        const auto before = weights(other);
        CHECK(has(error_of([&] { load(other, bytes, {.self_test = false}); }),
                  std::string("the safetensors data has NaN or infinity in ") + tensor));
        CHECK(same(weights(other), before));
        load(other, bytes, {.allow_nan = true});
        CHECK(same(weights(other), weights(net)));
      }
  AnyOf<Net, Longer> any(Network<Net>{});
  any.run([](auto& net) { net.data()[0] = infinity; });
  CHECK(has(error_of([&] { save(any, path); }), "has NaN or infinity in 0.weight"));
  save(any, path, {}, {.allow_nan = true});
  CHECK(has(error_of([&] { load(any, path); }), path + " has NaN or infinity in 0.weight"));
  load(any, path, {.allow_nan = true});
}

TEST_CASE("of a file in other precision, and of a tensor that is not taken") {
  Network<Net, Host, Float64> in_double{{.seed = 1}};
  in_double.data()[1] = std::numeric_limits<double>::infinity();
  CHECK(has(error_of([&] { save_bytes(in_double); }), "has NaN or infinity in 0.weight"));
  Network<Net> net;
  const Bytes bytes = save_bytes(in_double, {}, {.allow_nan = true});
  CHECK(has(error_of([&] { load(net, bytes); }), "has NaN or infinity in 0.weight [4, 3], 1 time; get weights"));
  load(net, bytes, {.allow_nan = true});
  CHECK(net.data()[1] == infinity);

  Network<Longer> longer;
  for (auto& p : longer.parameters())
    if (p.name == "4.bias") p.value[0] = p.value[1] = not_a_number;
  Network<Net> part;
  const Bytes file = save_bytes(longer, {}, {.allow_nan = true});
  CHECK(load(part, file, {.partial = true}).unexpected.size() == 2);
  Network<Longer> whole;
  CHECK(has(error_of([&] { load(whole, file); }), "in 4.bias [2], 2 times"));
}

TEST_CASE("a scale of the inputs that is 0 or not finite is neither saved, loaded nor exported") {
  const Network<Net> net;
  CHECK(error_of([&] { save_bytes(net, {.normalize = Normalize{infinity, 1}}); }) ==
        "inputs were to be scaled by Normalize{.scale = inf, .shift = 1}, expected finite numbers, and a scale other "
        "than 0; Normalize::pixels and Normalize::values make it of a mean and a deviation");
  CHECK(has(error_of([&] { save_bytes(net, {.normalize = Normalize{1, not_a_number}}); }), ".shift = nan}"));
  CHECK(has(error_of([&] { save_bytes(net, {.normalize = Normalize{0, 1}}); }), ".scale = 0, "));
  const TemporaryFolder folder;
  for (const Normalize wrong : {Normalize{0, 1}, Normalize{infinity, 0}, Normalize{1, not_a_number}})
    CHECK(has(error_of([&] { export_onnx(net, folder / "net.onnx", {.normalize = wrong}); }), "expected finite "));

  const std::vector<std::byte> bytes = save_bytes(net, {.normalize = Normalize{2, 1}});
  TensorFile file = parse_safetensors(bytes);
  std::erase_if(file.metadata, [](const auto& entry) { return entry.first == "sinter.checksum"; });
  for (auto& [key, text] : file.metadata)
    if (key == "sinter.normalize") text = R"({"scale":0,"shift":1})";
  Network<Net> other;
  CHECK(has(error_of([&] { load(other, safetensors_bytes(file.tensors, file.metadata)); }), "a scale other than 0"));
}

TEST_CASE("so is a running variance below 0: neither saved, loaded, packed, exported nor kept in checkpoints") {
  const TemporaryFolder folder;
  const std::string path = folder / "net";
  Network<Net> net = with("1.running_var", 3, -0.25f);
  const std::string refusal = " has a variance below 0 in 1.running_var [4], 1 time";
  CHECK(
      error_of([&] { save(net, path); }) ==
      "the network that was to be saved" + refusal +
          "; train it again from weights that have none, or save them all the same by FileOptions{.allow_nan = true}");
  CHECK(has(error_of([&] { export_onnx(net, path); }), "the network that was to be exported" + refusal));
  CHECK(has(error_of([&] { packed_bytes(net); }), "1.running_var has a variance below 0"));
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  CHECK(has(error_of([&] { save_checkpoint(trainer, path); }), refusal));
  CHECK_FALSE(std::filesystem::exists(path));

  save(net, path, {}, {.allow_nan = true});
  Network<Net> other{{.seed = 3}};
  CHECK(has(error_of([&] { load(other, path, {.self_test = false}); }), path + refusal));
  load(other, path, {.allow_nan = true});
  CHECK(same(weights(other), weights(net)));
  save_checkpoint(trainer, path, {.allow_nan = true});
  CHECK(has(error_of([&] { resume(trainer, path); }), path + refusal));
  const auto data = dataset(x, labels);
  net = with("1.running_var", 3, -1000);  // which an epoch does not make up for
  const History history = fit(net, data, CrossEntropyLoss{}, SGD{}, {.batch_size = 4, .epochs = 1}, Checkpoint{path});
  CHECK(has(history.stopped, "the network" + refusal));
  CHECK(save_bytes(with("1.running_var", 3, 0)).size() > 0);
  CHECK(save_bytes(with("1.running_mean", 3, -1)).size() > 0);
}

TEST_CASE("checkpoints of weights that are NaN or infinite are neither written nor resumed, unless that is meant") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  Network<Net> net = with("1.running_var", 3, infinity);
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  CHECK(has(error_of([&] { save_checkpoint(trainer, path); }), "has NaN or infinity in 1.running_var [4], 1 time;"));
  save_checkpoint(trainer, path, {.allow_nan = true});
  Network<Net> other = with("0.bias", 0, 5);
  Trainer resumed{other, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  const auto before = weights(other);
  CHECK(error_of([&] { resume(resumed, path); }) ==
        path +
            " has NaN or infinity in 1.running_var [4], 1 time; resume from an earlier checkpoint, or continue all the "
            "same by FileOptions{.allow_nan = true} or Checkpoint{.allow_nan = true}");
  CHECK(same(weights(other), before));
  resume(resumed, path, Take::same, {.allow_nan = true});
  CHECK(same(weights(other), weights(net)));

  // fit() stops where it cannot write what it should.
  const auto data = dataset(x, labels);
  const auto run = [&](Checkpoint checkpoint) {
    Network<Net> from = with("1.running_var", 3, infinity);
    return fit(from, data, CrossEntropyLoss{}, Adam{.lr = 0.1}, {.batch_size = 4, .epochs = 1}, checkpoint);
  };
  const History history = run({.path = folder / "fit"});
  CHECK(has(history.stopped, "the network has NaN or infinity in 1.running_var [4], 1 time"));
  CHECK(read_text(folder / "fit").empty());
  run({.path = folder / "fit", .allow_nan = true});
  CHECK(!read_text(folder / "fit").empty());
  CHECK(has(error_of([&] { run({.path = folder / "fit", .resume = true}); }), "has NaN or infinity in"));
  run({.path = folder / "fit", .resume = true, .allow_nan = true});
}
