// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <sinter/io.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/temporary_folder.hpp"
#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/killed.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<4>, Linear<9>, Tanh, Dropout<0.5>, Linear<3>> {};
struct Wider : Sequential<Input<4>, Linear<10>, Tanh, Dropout<0.5>, Linear<3>> {};

/// As Net, with another activation.
struct Cube {
  static constexpr bool backward_reads_output = false;
  static double forward(double v) { return v * v * v; }
  static double backward(double v, double dv) { return 3 * v * v * dv; }
};
struct Twin : Sequential<Input<4>, Linear<9>, Activation<Cube>, Dropout<0.5>, Linear<3>> {};

const auto x = inputs<Shape<4>>(20);
const auto labels = labels_for(20, 3);

struct Normalized : Sequential<Input<4>, Linear<9>, BatchNorm1d<>, Tanh, Linear<3>> {};

/// The weights after a number of steps without interruption; the rate changes meanwhile, and one parameter has a rate
/// of its own.
template <class Optimizer, class TestNet>
auto trainer_for(TestNet& net, const Optimizer& optimizer) {
  return Trainer(net, CrossEntropyLoss{}, optimizer);
}
template <class Trainer>
void steps(Trainer& trainer, long from, long to) {
  for (long i = from; i < to; ++i) {
    if (i == 2) trainer.set_rate_factor("0.bias", 0.5), trainer.optimizer().lr /= 3;
    trainer.step(x, labels);
  }
}

template <class TestNet, class Optimizer>
void check_resumed(const TestNet& initial, const Optimizer& optimizer) {
  const TemporaryFolder folder;
  TestNet whole = initial;
  auto in_one_go = trainer_for(whole, optimizer);
  steps(in_one_go, 0, 7);
  for (const long at : {0, 1, 3}) {
    CAPTURE(at);
    TestNet first = initial;
    auto before = trainer_for(first, optimizer);
    steps(before, 0, at);
    save_checkpoint(before, folder / "run");
    TestNet second = initial;
    for (auto& parameter : second.parameters()) parameter.value[0] = 7;
    auto after = trainer_for(second, optimizer);
    after.step(x, labels);
    resume(after, folder / "run");
    CHECK(after.steps() == at);
    CHECK(same(weights(second), weights(first)));
    steps(after, at, 7);
    CHECK(same(weights(second), weights(whole)));
  }
}

}  // namespace

TEST_CASE("what resumes from a checkpoint makes the same steps, bit for bit") {
  check_resumed(Network<Net>{{.seed = 3}}, SGD{.lr = 0.1});
  check_resumed(Network<Net>{{.seed = 3}}, SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01});
  check_resumed(Network<Net>{Host{.threads = 3}, {.seed = 3}}, Adam{.lr = 0.01});
  check_resumed(Network<Net, Host, Float64>{{.seed = 3}}, Adam{.lr = 0.01});
  check_resumed(Network<Net, Reference>{{.seed = 3}}, RMSprop{.lr = 0.01});
  check_resumed(Network<Net>{{.seed = 3}}, clip_grad_norm(per_step(AdamW{}, StepLR{.step_size = 2}), 0.1));
  check_resumed(Network<Normalized>{{.seed = 3}}, Adam{.lr = 0.01});  // running means and variances are kept, too
  Network<Net> averaged;
  check_resumed(Network<Net>{{.seed = 3}}, moving_average(Lion{}, averaged));
}

TEST_CASE("a checkpoint of something else, or a damaged one, is refused and changes nothing") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  Network<Net> net{{.seed = 3}};
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  trainer.step(x, labels);
  save_checkpoint(trainer, path);
  trainer.step(x, labels);
  const auto before = weights(net);

  Network<Net> other_seed{{.seed = 4}};
  Trainer seeded{other_seed, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  CHECK(error_of([&] { resume(seeded, path); }) ==
        path + " is a checkpoint of a network with the seed 3, and this one has 4; make the network with that seed");
  Trainer by_sgd{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  CHECK(error_of([&] { resume(by_sgd, path); }) ==
        path +
            " is a checkpoint of a training by Adam, and this Trainer has SGD; resume with the same optimizer, or "
            "begin a new "
            "training with the weights that load(.., {.partial = true}) takes from it");
  Network<Wider> wider{{.seed = 3}};
  Trainer of_wider{wider, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  CHECK(has(error_of([&] { resume(of_wider, path); }),
            "does not fit the network: unlike: 0.weight [9, 4], expected [10, 4]"));
  Network<Twin> twin{{.seed = 3}};
  Trainer of_twin{twin, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  CHECK(error_of([&] { resume(of_twin, path); }) ==
        path +
            " is a checkpoint of another model, with tensors of the same names and shapes; resume with the model that "
            "it is of, or take its weights by load(.., {.partial = true})");
  CHECK(same(weights(twin), weights(Network<Twin>{{.seed = 3}})));
  save(net, folder / "weights");
  CHECK(has(error_of([&] { resume(trainer, folder / "weights"); }),
            "is not a checkpoint of a training; take its weights by load()"));

  std::string text = read_text(path);
  text.back() = static_cast<char>(text.back() ^ 1);
  write_file(path, text);
  CHECK(
      error_of([&] { resume(trainer, path); }) ==
      path +
          " has a wrong checksum; it is damaged, or was changed after it was written: resume from another checkpoint");
  TensorFile without = parse_safetensors(std::as_bytes(std::span(text)));
  std::erase_if(without.metadata, [](const auto& entry) { return entry.first == detail::key_checksum; });
  write_file(path, safetensors_bytes(without.tensors, without.metadata));
  CHECK(error_of([&] { resume(trainer, path); }) ==
        path + " has no checksum; it was put together: resume from a file that save_checkpoint wrote");
  CHECK(same(weights(net), before));
  CHECK(trainer.steps() == 2);
}

TEST_CASE("counters and rates that no training has are refused, although their checksum is right") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  Network<Net> net{{.seed = 3}};
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.125}};
  trainer.step(x, labels);
  save_checkpoint(trainer, path);
  const auto whole = read_file(path, "checkpoint");
  const TensorFile from = parse_safetensors(whole);
  const std::string text = detail::find_text(from.metadata, detail::key_checkpoint);
  const auto refusal = [&](const std::string& what, const std::string& by) {
    std::string changed = text;
    REQUIRE(has(changed, what));
    changed.replace(changed.find(what), what.size(), by);
    Metadata metadata = from.metadata;
    std::erase_if(metadata, [](const auto& entry) { return entry.first == detail::key_checksum; });
    for (auto& [key, value] : metadata)
      if (key == detail::key_checkpoint) value = changed;
    write_file(path, detail::bytes_with_checksum(from.tensors, metadata));
    return error_of([&] { resume(trainer, path); });
  };
  CHECK(refusal("\"steps\":1", "\"steps\":1") == "(no error)");
  CHECK(refusal("\"steps\":1", "\"steps\":18446744073709551615") ==
        path +
            " says that 18446744073709551615 of 1 steps were made at the rate 0.125, expected no more steps than "
            "attempts, finite rates and factors of 0 or more; it is damaged: resume from another checkpoint");
  CHECK(has(refusal("\"attempts\":1", "\"attempts\":9007199254740993"), "of 9007199254740993 steps"));
  CHECK(has(refusal("\"factors\":[]", "\"factors\":[1,-1,1,1]"), "factors of 0 or more"));
  CHECK(has(refusal("\"factors\":[]", "\"factors\":[1]"), "the snapshot of another one"));
  CHECK(trainer.steps() == 1);
  CHECK(has(refusal("\"attempts\":1", "\"steps\":1"), "once each was expected"));
  CHECK(has(refusal(",\"rate\":0.125", ""), "once each was expected"));
  CHECK(has(refusal("\"version\":2", "\"version\":3"), "is a checkpoint of version 3, expected 2: "));
  CHECK(has(refusal("\"version\":2,", ""), "is a checkpoint of version 1, expected 2: "));
}

TEST_CASE("a state that no optimizer makes is neither written nor resumed from") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  Network<Net> net{{.seed = 3}};
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.125}};
  trainer.step(x, labels);
  save_checkpoint(trainer, path);
  const std::string whole = read_text(path);
  for (const auto& [number, wrong] : {std::pair{0, NAN}, {1, NAN}, {1, HUGE_VALF}, {1, -1.0f}}) {
    CAPTURE(number);
    CAPTURE(wrong);
    float& kept = trainer.optimizer_state("3.bias", number)[1];
    kept = wrong;
    const std::string words = "the state " + std::to_string(number) + " of the optimizer has ";
    const auto refused = [&](const std::string& text) {
      CAPTURE(text);
      CHECK(has(text, words));
      CHECK(has(text, " for 3.bias, expected "));
      CHECK(has(text, "continue from an earlier snapshot or checkpoint"));
    };
    refused(error_of([&] { save_checkpoint(trainer, path, {.allow_nan = true}); }));
    CHECK(read_text(path) == whole);
    refused(error_of([&] { trainer.step(x, labels); }));

    TensorFile changed = parse_safetensors(std::as_bytes(std::span(whole)));
    std::erase_if(changed.metadata, [](const auto& entry) { return entry.first == detail::key_checksum; });
    std::vector<std::byte> bytes;
    for (NamedTensor& tensor : changed.tensors)
      if (tensor.name == "optimizer." + std::to_string(number) + ".3.bias") {
        bytes.assign(tensor.bytes.begin(), tensor.bytes.end());
        std::memcpy(bytes.data() + sizeof(float), &wrong, sizeof wrong);
        tensor.bytes = bytes;
      }
    REQUIRE(!bytes.empty());
    write_file(folder / "changed", detail::bytes_with_checksum(changed.tensors, changed.metadata));
    refused(error_of([&] { resume(trainer, folder / "changed"); }));
    resume(trainer, path);  // which mends the state
    trainer.step(x, labels);
    resume(trainer, path);
  }
}

TEST_CASE("a checkpoint continues with another number of threads, the same bits, and on another device or precision") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  const Network<Net> initial{Host{.threads = 1}, {.seed = 3}};
  Network<Net> whole = initial, first = initial;
  Trainer in_one_go{whole, CrossEntropyLoss{}, Adam{.lr = 0.01}}, before{first, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  steps(in_one_go, 0, 7);
  steps(before, 0, 3);
  save_checkpoint(before, path);
  const auto gone_on = [&](auto net) {
    Trainer after{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
    resume(after, path);
    steps(after, 3, 7);
    return weights(net);
  };
  CHECK(same(gone_on(Network<Net>{Host{.threads = 3}, {.seed = 3}}), weights(whole)));
  const auto apart = [&](const auto& values) {
    const auto wanted = weights(whole);
    double most = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      most = std::max(most, std::abs(static_cast<double>(values[i]) - static_cast<double>(wanted[i])));
    return most;
  };
  CHECK(apart(gone_on(Network<Net, Reference>{{.seed = 3}})) < 1e-4);
  CHECK(apart(gone_on(Network<Net, Host, Float64>{{.seed = 3}})) < 1e-4);
}

TEST_CASE("a checkpoint of an older sinter, whose steps had other bits, is refused; its weights can be taken") {
  const std::string path = std::string(SINTER_FIXTURES) + "/io/checkpoint_1.safetensors";
  Network<Net> net{{.seed = 3}};
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  const auto before = weights(net);
  CHECK(
      error_of([&] { resume(trainer, path); }) ==
      path +
          " is a checkpoint of version 1, expected 2: its training would not continue with the same bits; resume with "
          "the version of sinter that wrote it, or begin a new training with the weights that load(.., {.partial = "
          "true}) takes from it");
  CHECK(same(weights(net), before));
  CHECK(trainer.steps() == 0);
  CHECK(load(net, path, {.partial = true}).taken.size() == 4);
}

TEST_CASE("a checkpoint that was written on another machine is resumed") {
  Network<Net> whole{{.seed = 3}}, net{{.seed = 3}};
  Trainer in_one_go{whole, CrossEntropyLoss{}, Adam{.lr = 0.01}}, trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  steps(in_one_go, 0, 5);
  resume(trainer, std::string(SINTER_FIXTURES) + "/io/checkpoint_2.safetensors");  // after 3 steps
  CHECK(trainer.steps() == 3);
  steps(trainer, 3, 5);
  for (std::size_t i = 0; i < weights(whole).size(); ++i)
    CHECK(net.data()[i] == doctest::Approx(whole.data()[i]).epsilon(1e-4));
}

TEST_CASE("the weights of a checkpoint can be taken alone") {
  const TemporaryFolder folder;
  Network<Net> net{{.seed = 3}}, other{{.seed = 4}};
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.1}};
  trainer.step(x, labels);
  save_checkpoint(trainer, folder / "run");
  CHECK(load(other, folder / "run", {.partial = true}).taken.size() == 4);
  CHECK(same(weights(other), weights(net)));
}

TEST_CASE("a training that is killed at a hundred random moments continues as if nothing had happened") {
  const TemporaryFolder folder;
  const std::string path = folder / "run";
  const Network<Net> initial{{.seed = 3}};
  const auto go_on = [&](auto tell) {
    Network<Net> net = initial;
    Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
    if (std::filesystem::exists(path)) resume(trainer, path);
    while (true) {
      trainer.step(x, labels);
      save_checkpoint(trainer, path);
      tell();
    }
  };
  for (unsigned attempt = 0; attempt < 100; ++attempt) CHECK(killed(attempt, 1, go_on));
  Network<Net> net = initial, whole = initial;
  Trainer trainer{net, CrossEntropyLoss{}, Adam{.lr = 0.01}}, in_one_go{whole, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  resume(trainer, path);
  CHECK(trainer.steps() >= 100);
  for (int i = 0; i < 5; ++i) trainer.step(x, labels);
  while (in_one_go.steps() < trainer.steps()) in_one_go.step(x, labels);
  CHECK(same(weights(net), weights(whole)));
  save_checkpoint(trainer, path);  // removes what those that were killed have left
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) CHECK(entry.path() == path);
}
