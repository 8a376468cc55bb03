// SPDX-License-Identifier: MIT
// labels: large sanitized
// Ranks that read, or change, the rows of their part of each batch alone.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "data/temporary_folder.hpp"
#include "ranks/same_bits.hpp"
#include "sinter/data/augment.hpp"
#include "sinter/data/read_ahead.hpp"
#include "sinter/layers/activation.hpp"
#include "sinter/layers/conv2d.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/optimizer/adam.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/evaluate_records.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

using Picture = Shape<1, 6, 6>;
using Files = RecordFiles<float, Picture, std::uint8_t>;
struct Convolutional : Sequential<Input<1, 6, 6>, Conv2d<4, 3>, ReLU, Flatten, Linear<4>> {};
struct Perceptron : Sequential<Input<1, 6, 6>, Flatten, Linear<20>, Tanh, Linear<4>> {};

/// 150 records, none of whose numbers is 0: batches of 64 leave 22.
void write_records(const std::string& path, int last_label = 3) {
  const auto x = inputs<Picture>(150);
  std::vector<char> bytes(150 * Files::label_first.size);
  for (std::size_t i = 0; i < 150; ++i) {
    char* const record = bytes.data() + i * Files::label_first.size;
    *record = static_cast<char>(i == 149 ? last_label : static_cast<int>(i * 7 % 4));
    std::memcpy(record + 1, x.data() + i * Picture::size, Picture::size * sizeof(float));
  }
  write_bytes(path, bytes);
}
auto trained_on(const Files& files, const auto& loss) {
  return [&files, loss](auto& net) {
    std::vector<double> losses;
    Trainer trainer{net, loss, Adam{.lr = 0.01}};
    for (std::uint32_t epoch = 0; epoch < 3; ++epoch)
      for (const auto& batch : batches(files, {.batch_size = 64, .seed = 7, .epoch = epoch}, trainer))
        losses.push_back(static_cast<double>(trainer.step(batch)));
    return losses;
  };
}

/// Files that count how often each of their rows is read.
struct CountedFiles : Files {
  CountedFiles(const Files& files, std::vector<std::atomic<int>>& reads_) : Files(files), reads(reads_) {}
  struct Reader : Files::Reader {
    explicit Reader(const CountedFiles& files) : Files::Reader(files), reads(files.reads) {}
    void read(std::size_t row, float* inputs, std::uint8_t& label) {
      ++reads[row];
      Files::Reader::read(row, inputs, label);
    }
    std::vector<std::atomic<int>>& reads;
  };
  std::vector<std::atomic<int>>& reads;
};

/// A user's transform, which counts the pictures that it is given.
struct Counted {
  std::atomic<int>* count;
  void check() const {}
  void operator()(const Words<std::uint32_t>&, const ImagePlaces&) const { ++*count; }
};

}  // namespace

TEST_CASE("Training on files has the same bits on any number of ranks, also with weights of the batch's classes") {
  const TemporaryFolder folder;
  write_records(folder / "rows.bin");
  const Files files({folder / "rows.bin"});
  check_same_bits<Convolutional>(trained_on(files, WeightedCrossEntropyLoss<4>{.weight = {1, 0.5, 2, 3}}));
  check_same_bits<Perceptron>(trained_on(files, CrossEntropyLoss{}), {1, 2, 3, 7, 16});
}

TEST_CASE("Each row of a batch is read by one rank; all have its label") {
  const TemporaryFolder folder;
  write_records(folder / "rows.bin");
  const Files files({folder / "rows.bin"});
  for (const int ranks : {1, 2, 5}) {
    CAPTURE(ranks);
    std::atomic<int> read{0}, wrong{0};
    Threads(ranks).run([&](Communicator& world) {
      Network<Convolutional, Ranks<Host>> net{{world}};
      Trainer trainer{net, CrossEntropyLoss{}, SGD{}};
      for (const auto& batch : batches(files, {.batch_size = 64, .ahead = 3}, trainer)) {  // each in memory of its own
        const auto [first, last] = trainer.rows_to_read(batch.size());
        for (std::size_t i = 0; i < batch.size(); ++i) {
          const bool there = batch.inputs().row(i)[0] != 0;
          read += there;
          wrong += there != (i >= first && i < last) ||
                   batch.targets()[i] != (batch.rows()[i] == 149 ? 3 : batch.rows()[i] * 7 % 4);
        }
      }
    });
    CHECK(read == 150);
    CHECK(wrong == 0);
  }
}

TEST_CASE("fit and evaluate on files have the same bits on any number of ranks, and each row is read by one") {
  const TemporaryFolder folder;
  write_records(folder / "rows.bin");
  const Files files({folder / "rows.bin"});
  const auto fitted = [](const auto& data, const auto& loss, bool drop_last) {
    return [&data, loss, drop_last](auto& net) {
      const History history = fit(net, data, loss, Adam{.lr = 0.01},
                                  {.batch_size = 64, .epochs = 3, .held_out = {20, 9}, .drop_last = drop_last});
      const auto [judged, accuracy] = evaluate(net, data, loss);
      const double first = static_cast<double>(predict(net, data)(149, 0));
      return std::vector<double>{history.epochs[0].train_loss,
                                 history.epochs[2].train_loss,
                                 history.epochs[2].validation_loss,
                                 judged,
                                 accuracy,
                                 score(net, data),
                                 first};
    };
  };
  check_same_bits<Convolutional>(fitted(files, WeightedCrossEntropyLoss<4>{.weight = {1, 0.5, 2, 3}}, false),
                                 {1, 2, 3, 5});
  check_same_bits<Perceptron>(fitted(files, CrossEntropyLoss{}, true), {2, 5});

  for (const int ranks : {1, 3}) {
    CAPTURE(ranks);
    std::vector<std::atomic<int>> reads(150);
    const CountedFiles counted(files, reads);
    Threads(ranks).run([&](Communicator& world) {
      Network<Convolutional, Ranks<Host>> net{{world}};
      fit(net, counted, CrossEntropyLoss{}, SGD{}, {.batch_size = 64, .epochs = 2, .validation = counted});
      evaluate(net, counted, CrossEntropyLoss{});
    });
    for (const auto& count : reads) CHECK(count == 2 + 2 + 1);
  }
}

TEST_CASE("A bad label that one rank reads ends all") {
  const TemporaryFolder folder;
  write_records(folder / "rows.bin", 4);
  const Files files({folder / "rows.bin"});
  const auto text = error_of([&] {
    Threads(3).run([&](Communicator& world) {
      Network<Convolutional, Ranks<Host>> net{{world}, {.seed = 7}};
      trained_on(files, CrossEntropyLoss{})(net);
    });
  });
  CHECK(has(text, "of the labels is 4, expected 0 to 3"));
  const auto fitted = error_of([&] {
    Threads(3).run([&](Communicator& world) {
      Network<Convolutional, Ranks<Host>> net{{world}, {.seed = 7}};
      fit(net, files, CrossEntropyLoss{}, SGD{}, {.batch_size = 64});
    });
  });
  CHECK(has(fitted, "row 149 of the labels is 4, expected 0 to 3"));
}

TEST_CASE("Ranks whose files have other numbers of rows are named") {
  const TemporaryFolder folder;
  write_records(folder / "rows.bin");
  const Files files({folder / "rows.bin"});
  const auto on_ranks = [&](auto&& use) {
    return error_of([&] {
      Threads(3, std::chrono::seconds(20)).run([&](Communicator& world) {
        Network<Convolutional, Ranks<Host>> net{{world}, {.seed = 7}};
        use(net, subset(files, 0, world.rank() == 1 ? 149 : 150));
      });
    });
  };
  CHECK(has(on_ranks([](auto& net, const Files& own) { evaluate(net, own, CrossEntropyLoss{}); }),
            "rank 1 differs from rank 0 in: the rows of the data (149, not 150)"));
  CHECK(has(on_ranks([](auto& net, const Files& own) { fit(net, own, CrossEntropyLoss{}, SGD{}); }), "rank 1"));
}

TEST_CASE("Each picture is changed by the rank that trains on it, to the same bits") {
  const auto x = inputs<Picture>(150);
  const auto labels = labels_for(150, 4);
  const auto data = dataset(x, labels);
  std::atomic<int> changed{0};
  const auto pictures = augment(data, {.seed = 3}, RandomCrop{.padding = 2}, RandomHorizontalFlip{}, Counted{&changed});
  const auto trained = [&](const auto& optimizer, std::size_t batch, bool drop_last) {
    return [&pictures, optimizer, batch, drop_last](auto& net) {
      const History history = fit(net, pictures, CrossEntropyLoss{}, optimizer,
                                  {.batch_size = batch, .epochs = 3, .held_out = {20, 9}, .drop_last = drop_last});
      return std::vector<double>{history.epochs[0].train_loss, history.epochs[2].train_loss,
                                 history.epochs[2].validation_loss};
    };
  };
  check_same_bits<Convolutional>(trained(SGD{.lr = 0.05, .momentum = 0.9}, 64, false));
  check_same_bits<Convolutional>(trained(clip_grad_norm(Adam{.lr = 0.01}, 0.1), 50, true), {3, 8});
  check_same_bits<Perceptron>(trained(Adam{.lr = 0.01}, 200, false), {4});

  changed = 0;
  Threads(5).run([&](Communicator& world) {
    Network<Convolutional, Ranks<Host>> net{{world}};
    trained(SGD{}, 64, false)(net);
  });
  CHECK(changed == 3 * 141);
}
