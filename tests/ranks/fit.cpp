// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include "sinter/train/fit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ranks/same_bits.hpp"
#include "sinter/io/fit_checkpoint.hpp"
#include "sinter/io/save.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/report/progress.hpp"
#include "sinter/report/training_log.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Model : Sequential<Input<6>, Linear<20>, ReLU, Linear<3>> {};
struct Other : Sequential<Input<6>, Linear<20>, Tanh, Linear<3>> {};

const auto x = inputs<Shape<6>>(70);
const auto labels = labels_for(70, 3);

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
template <class... Callbacks>
History train(auto& net, int epochs, Callbacks&&... callbacks) {
  return fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 16, .epochs = epochs},
             callbacks...);
}
const std::string folder = [] {
  const auto path = std::filesystem::temp_directory_path() / "sinter_ranks_fit";
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path.string() + "/";
}();

/// What ranks say is wrong, where make(world) trains on each.
std::string error_on(int ranks, const std::function<void(Communicator&)>& make) {
  return error_of([&] { Threads(ranks, std::chrono::seconds(20)).run(make); });
}

}  // namespace

TEST_CASE("Rank 0 alone prints and writes, and the checkpoint is resumed on another number of ranks") {
  Network<Model> alone{{.seed = 3}};
  train(alone, 6, Checkpoint{.path = folder + "alone"});
  const std::string expected = text_of(folder + "alone");
  REQUIRE(!expected.empty());

  for (const int ranks : {1, 3}) {
    CAPTURE(ranks);
    const std::string path = folder + std::to_string(ranks);
    std::ostringstream printed;
    Threads(ranks).run([&](Communicator& world) {
      Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
      train(net, 3, Progress(printed), Checkpoint{.path = path, .every = 2}, TrainingLog{.path = path + ".csv"});
    });
    const std::string lines = printed.str();
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 4);
    CHECK(has(text_of(path + ".csv"), "\n3,"));
    Threads(5 - ranks).run([&](Communicator& world) {
      Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
      train(net, 6, Checkpoint{.path = path, .resume = true});
    });
    Network<Model> read{{.seed = 3}};
    train(read, 6, Checkpoint{.path = path, .resume = true});
    CHECK(same(all_numbers(read), all_numbers(alone)));
  }
}

namespace {
/// The tensors of a checkpoint but for what fit keeps, which contains seconds; and how many numbers of that differ.
std::size_t differing_numbers(const std::string& path, const std::string& other) {
  const auto one = read_file(path), two = read_file(other);
  const TensorFile a = parse_safetensors(one), b = parse_safetensors(two);
  REQUIRE(a.tensors.size() == b.tensors.size());
  std::size_t differing = 0;
  for (std::size_t i = 0; i < a.tensors.size(); ++i) {
    CHECK(a.tensors[i].name == b.tensors[i].name);
    const auto &x_bytes = a.tensors[i].bytes, &y_bytes = b.tensors[i].bytes;
    if (a.tensors[i].name == detail::name_of_fit) {
      REQUIRE(x_bytes.size() == y_bytes.size());
      for (std::size_t k = 0; k < x_bytes.size(); k += sizeof(double))
        differing += std::equal(x_bytes.data() + k, x_bytes.data() + k + sizeof(double), y_bytes.data() + k) ? 0u : 1u;
    } else {
      CHECK(std::ranges::equal(x_bytes, y_bytes));
    }
  }
  for (const auto& [key, text] : a.metadata)
    if (key != detail::key_checksum) CHECK(detail::find_text(b.metadata, key) == text);
  return differing;
}
}  // namespace

TEST_CASE("Checkpoints of ranks are those of one process, but for the seconds of each epoch") {
  Network<Model> alone{{.seed = 3}};
  Trainer trainer{alone, CrossEntropyLoss{}, Adam{.lr = 0.01}};
  trainer.step(dataset(x, labels));
  save_checkpoint(trainer, folder + "step");
  Network<Model> fitted{{.seed = 3}};
  train(fitted, 4, Checkpoint{.path = folder + "epochs"});
  save(fitted, folder + "weights");
  for (const int ranks : {2, 3}) {
    const std::string end = "_of_" + std::to_string(ranks);
    Threads(ranks).run([&](Communicator& world) {
      Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}}, other{{world, Host{}}, {.seed = 3}};
      Trainer own{net, CrossEntropyLoss{}, Adam{.lr = 0.01}};
      own.step(dataset(x, labels));
      train(other, 4, Checkpoint{.path = folder + "epochs" + end});
      if (world.rank() != 0) return;
      save_checkpoint(own, folder + "step" + end);
      save(other, folder + "weights" + end);
    });
    CHECK(text_of(folder + "step" + end) == text_of(folder + "step"));
    CHECK(text_of(folder + "weights" + end) == text_of(folder + "weights"));
    CHECK(differing_numbers(folder + "epochs" + end, folder + "epochs") <= 4);
  }
}

TEST_CASE("If a callback of one rank asks to stop, all ranks stop after the same batch") {
  std::mutex mutex;
  std::vector<std::vector<float>> weights;
  std::vector<std::string> stopped(3);
  Threads(3).run([&](Communicator& world) {
    Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
    const auto history = train(net, 5, [&](const BatchInfo& info) {
      return !(world.rank() == 1 && info.epoch == 2 && info.samples_done == 32);
    });
    const std::lock_guard lock(mutex);
    weights.push_back(all_numbers(net));
    stopped[static_cast<std::size_t>(world.rank())] = history.stopped;
  });
  CHECK(stopped[0] == "another rank asked for it");
  CHECK(stopped[1] == "a callback asked for it (after 32 rows of epoch 2)");
  CHECK(same(weights[0], weights[1]));
  CHECK(same(weights[0], weights[2]));
}

TEST_CASE("A loss that is not finite stops all ranks, with the words of one") {
  const auto with = [&](auto& net) {
    return fit(net, dataset(x, labels), CrossEntropyLoss{}, SGD{.lr = 3e38}, {.batch_size = 16, .epochs = 2}).stopped;
  };
  Network<Model> alone{{.seed = 3}};
  const std::string expected = with(alone);
  REQUIRE(has(expected, "not finite"));
  Threads(4).run([&](Communicator& world) {
    Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
    if (with(net) != expected || !same(all_numbers(net), all_numbers(alone))) throw std::runtime_error("differs");
  });
}

TEST_CASE("What differs between ranks is named, and the rank") {
  const auto text = error_on(3, [](Communicator& world) {
    Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = world.rank() == 2 ? 4u : 3u}};
    train(net, 1);
  });
  CHECK(has(text, "rank 2 differs from rank 0 in: the seed (4, not 3); the order of the rows"));
  CHECK(has(text, "the weights, which follow from seed, checkpoint and optimizer"));
  CHECK(!has(text, "rank 1 differs"));

  CHECK(has(error_on(2,
                     [](Communicator& world) {
                       Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
                       const std::size_t batch = world.rank() == 0 ? 16 : 17;
                       fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{}, {.batch_size = batch, .epochs = 1});
                     }),
            "rank 1 differs from rank 0 in: the rows of a batch (17, not 16)"));
  CHECK(has(error_on(2,
                     [](Communicator& world) {
                       Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
                       auto own = labels;
                       if (world.rank() == 1)
                         for (int& label : own) label = 2 - label;
                       fit(net, dataset(x, own), CrossEntropyLoss{}, Adam{}, {.epochs = 1});
                     }),
            "rank 1 differs from rank 0 in: the targets of the batch. "));
  CHECK(has(error_on(2,
                     [](Communicator& world) {
                       Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
                       const double rate = world.rank() == 1 ? 0.1 : 0.2;
                       fit(net, dataset(x, labels), CrossEntropyLoss{}, Adam{.lr = rate},
                           {.batch_size = 16, .epochs = 1});
                     }),
            "rank 1 differs from rank 0 in: the weights, which follow from seed, checkpoint and optimizer"));
  CHECK(has(error_on(2,
                     [](Communicator& world) {
                       const Ranks<Host> device{world, Host{}};
                       if (world.rank() == 0) {
                         Network<Model, Ranks<Host>> net{device, {.seed = 3}};
                         train(net, 1);
                       } else {
                         Network<Other, Ranks<Host>> net{device, {.seed = 3}};
                         train(net, 1);
                       }
                     }),
            "rank 1 differs from rank 0 in: the model"));
}

TEST_CASE("Ranks without work are announced, and train") {
  Network<Model> alone{{.seed = 3}};
  train(alone, 2);
  for (const int ranks : {1, 9}) {
    std::string note;
    Threads(ranks).run([&](Communicator& world) {
      Network<Model, Ranks<Host>> net{{world, Host{}}, {.seed = 3}};
      train(net, 2, [&](const TrainingInfo& info) {
        if (world.rank() == 0) note = info.note;
      });
      if (!same(all_numbers(net), all_numbers(alone))) throw std::runtime_error("differs");
    });
    CHECK(has(note, "9 ranks have no rows: a batch of 16 has ") == (ranks == 9));
    CHECK(has(note, "take fewer ranks, or larger batches") == (ranks == 9));
  }
}
