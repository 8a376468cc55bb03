// SPDX-License-Identifier: MIT
// labels: threads large sanitized
#include <doctest/doctest.h>

#include <sinter/data/batches.hpp>
#include <sinter/data/labelled_data.hpp>
#include <sinter/data/read_ahead.hpp>
#include <sinter/io/fit_checkpoint.hpp>
#include <sinter/layers/activation.hpp>
#include <sinter/layers/batch_norm.hpp>
#include <sinter/layers/dropout.hpp>
#include <sinter/layers/embedding.hpp>
#include <sinter/layers/flatten.hpp>
#include <sinter/layers/linear.hpp>
#include <sinter/loss/cross_entropy.hpp>
#include <sinter/loss/weighted_cross_entropy.hpp>
#include <sinter/model/sequential.hpp>
#include <sinter/optimizer/adam.hpp>
#include <sinter/optimizer/clip_grad.hpp>
#include <sinter/optimizer/sgd.hpp>
#include <sinter/train/evaluate_records.hpp>
#include <sinter/train/fit.hpp>
#include <sinter/train/trainer.hpp>

#include <limits>
#include <string>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
struct Noisy : Sequential<Input<8>, Linear<16>, BatchNorm1d<>, Tanh, Dropout<0.3>, Linear<5>> {};
struct Words : Sequential<Input<2>, Embedding<7, 3>, Flatten, Linear<2>> {};
using Floats = RecordFiles<float, Shape<2>, std::int16_t>;

/// The same rows in two files and in memory.
struct Rows {
  explicit Rows(std::size_t count) {
    for (std::size_t row = 0; row < count; ++row) {
      labels.push_back(static_cast<std::uint8_t>(row * row % 5));
      records.push_back(labels.back());
      for (std::size_t k = 0; k < 8; ++k) inputs.push_back(static_cast<std::uint8_t>(row * (k + 3) % 251));
      records.insert(records.end(), inputs.end() - 8, inputs.end());
    }
    write_bytes(folder / "a.bin", std::vector<std::uint8_t>(records.begin(), records.begin() + 123 * 9));
    write_bytes(folder / "b.bin", std::vector<std::uint8_t>(records.begin() + 123 * 9, records.end()));
  }
  auto in_memory() const { return LabelledData<std::uint8_t, Shape<8>, std::uint8_t>(inputs, labels, scale); }
  auto in_files() const {
    return RecordFiles<std::uint8_t, Shape<8>, std::uint8_t>({folder / "a.bin", folder / "b.bin"}, scale);
  }
  TemporaryFolder folder;
  Normalize scale = Normalize::pixels(0.5f, 0.25f);
  std::vector<std::uint8_t> inputs, labels, records;
};

/// Weights, and all numbers of the history but the seconds.
std::vector<double> numbers_of(const auto& net, const History& history) {
  using Ops = typename std::remove_cvref_t<decltype(net)>::Ops;
  std::vector<double> numbers(net.data(), net.data() + Ops::storage_size);
  for (const EpochRecord& record : history.epochs)
    for (const double x : {record.train_loss, record.validation_loss, record.validation_accuracy, record.learning_rate})
      numbers.push_back(x == x ? x : -1);
  for (const IntervalRecord& record : history.intervals) numbers.push_back(record.loss);
  return numbers;
}
struct How {
  std::size_t batch_size;
  Fold held_out{};
  bool shuffle = true, drop_last = false;
  int first_epoch = 0;
};
std::vector<double> fitted(const auto& data, const auto& validation, const auto& loss, const auto& optimizer,
                           const How& how) {
  Network<Noisy> net{Host{.threads = 2}, {.seed = 4}};
  const History history = fit(net, data, loss, optimizer,
                              {.batch_size = how.batch_size,
                               .epochs = 2,
                               .validation = validation,
                               .held_out = how.held_out,
                               .shuffle = how.shuffle,
                               .drop_last = how.drop_last,
                               .interval = 2,
                               .first_epoch = how.first_epoch});
  return numbers_of(net, history);
}

/// Two words and a label for each row.
Floats words(const std::string& path, std::initializer_list<float> numbers) {
  std::string bytes;
  for (const float& x : numbers) {
    if ((&x - numbers.begin()) % 2 == 0) bytes += std::string(2, '\0');
    bytes.append(reinterpret_cast<const char*>(&x), sizeof x);
  }
  write_bytes(path, std::vector<char>(bytes.begin(), bytes.end()));
  return Floats({path});
}

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

  // Labels are checked where the network is: in the step.
  records[400 * 9] = 5;
  write_bytes(folder / "b.bin", Bytes(records.begin() + 123 * 9, records.end()));
  CHECK(error_of([&] { trained(1, files); }).find("of the labels is 5, expected 0 to 4") != std::string::npos);
}

TEST_CASE("fit on files has the bits of fit on the same rows in memory") {
  const Rows rows(500);
  const auto memory = rows.in_memory();
  const auto files = rows.in_files();
  const auto same = [&](const auto& loss, const auto& optimizer, const How& how) {
    CHECK(fitted(files, nullptr, loss, optimizer, how) == fitted(memory, nullptr, loss, optimizer, how));
    const auto expected = fitted(memory, &memory, loss, optimizer, how);
    CHECK(fitted(files, &memory, loss, optimizer, how) == expected);
    CHECK(fitted(files, &files, loss, optimizer, how) == expected);
    CHECK(fitted(memory, &files, loss, optimizer, how) == expected);
  };
  same(CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 70});
  same(CrossEntropyLoss{}, SGD{.lr = 0.1, .momentum = 0.9}, {.batch_size = 64, .held_out = {100, 90}});
  same(CrossEntropyLoss{}, Adam{.lr = 0.01}, {.batch_size = 1000});
  same(WeightedCrossEntropyLoss<5>{.weight = {1, 0.3, 2, 3, 0.7}, .ignore_index = 3}, clip_grad_norm(Adam{}, 0.1),
       {.batch_size = 70, .shuffle = false, .drop_last = true, .first_epoch = 2});
}

TEST_CASE("fit on files resumes within an epoch") {
  const Rows rows(500);
  const auto files = rows.in_files();
  const auto trained = [&](const std::string& path, int epochs, auto&& callback) {
    Network<Noisy> net{Host{}, {.seed = 4}};
    const History history = fit(net, files, CrossEntropyLoss{}, Adam{.lr = 0.01},
                                {.batch_size = 60, .epochs = epochs, .validation = &files, .held_out = {10, 20}},
                                Checkpoint{.path = path, .resume = true}, callback);
    return numbers_of(net, history);
  };
  const auto expected = trained(rows.folder / "whole", 4, [](const BatchInfo&) {});
  trained(rows.folder / "parts", 4, [](const BatchInfo& info) { return info.epoch < 2 || info.samples_done < 180; });
  CHECK(trained(rows.folder / "parts", 4, [](const BatchInfo&) {}) == expected);
}

TEST_CASE("Files are judged as the same rows in memory, over several batches") {
  const Rows rows(9001);
  const auto memory = rows.in_memory();
  const auto files = rows.in_files();
  const Network<Noisy> net{Host{.threads = 2}, {.seed = 3}};
  const auto same = [&](const auto& loss) {
    const Evaluation on_files = evaluate(net, files, loss), in_memory = evaluate(net, memory, loss);
    CHECK(on_files.loss == in_memory.loss);
    CHECK(on_files.accuracy == in_memory.accuracy);
  };
  same(CrossEntropyLoss{});
  same(WeightedCrossEntropyLoss<5>{.weight = {1, 0.3, 2, 3, 0.7}, .ignore_index = 3});
  CHECK(score(net, files) == score(net, memory));
  const auto on_files = predict(net, files), in_memory = predict(net, memory);
  CHECK(std::ranges::equal(on_files.values(), in_memory.values()));
  const auto some = subset(files, 100, 50);
  CHECK(score(net, some) == score(net, subset(memory, 100, 50)));
  CHECK(score(net, subset(some, 20, 30)) == score(net, subset(memory, 120, 30)));
}

TEST_CASE("What is wrong in files, or asked of them, is named") {
  const Rows rows(200);
  const auto files = rows.in_files();
  Network<Net> net{{.seed = 4}};
  using Options = FitOptions<std::remove_const_t<decltype(files)>>;
  const auto fit_on = [&](const auto& data, const Options& options) {
    return error_of([&] { fit(net, data, CrossEntropyLoss{}, SGD{}, options); });
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(has(fit_on(files, {.batch_size = 0}), "batch_size = 0"));
  CHECK(has(fit_on(files, {.held_out = {150, 60}}), "hold out 60 rows from row 150 of a dataset of 200 rows"));
  CHECK(has(fit_on(subset(files, 3, 0), {}), "fit was given a dataset of 0 rows"));
  const auto none = subset(files, 3, 0);
  CHECK(has(fit_on(files, {.validation = &none}), "a validation dataset of 0 rows"));
  CHECK(has(fit_on(files, {.chunks = 2}), "fit was given .chunks = 2 and files"));
  CHECK(has(error_of([&] { evaluate(net, none, CrossEntropyLoss{}); }), "evaluate was given files of 0 rows"));
  CHECK(has(error_of([&] { score(net, none); }), "score was given files of 0 rows"));
  CHECK(predict(net, none).rows() == 0);
  CHECK(has(error_of([&] { subset(files, 150, 51); }), "51 rows from row 150 of files with 200 rows"));
  CHECK(has(error_of([&] { batches(files, {.held_out = {201, 0}}); }), "hold out 0 rows from row 201 of files"));
  CHECK(has(error_of([&] { batches(files, {.batch_size = 20, .first = 30}); }), "first = 30 with batch_size = 20"));

  auto records = rows.records;
  records[171 * 9] = 5;
  write_bytes(rows.folder / "b.bin", std::vector<std::uint8_t>(records.begin() + 123 * 9, records.end()));
  const char* const bad_label = "row 171 of the labels is 5, expected 0 to 4";
  CHECK(has(fit_on(files, {}), bad_label));
  CHECK(has(error_of([&] { evaluate(net, files, CrossEntropyLoss{}); }), bad_label));
  CHECK(has(error_of([&] { score(net, files); }), bad_label));
  const auto sound = subset(files, 0, 100);
  CHECK(fit_on(files, {.validation = &sound, .held_out = {171, 1}}) == "(no error)");

  Network<Words> reader;
  const auto read = [&](const Floats& data) {
    return error_of([&] { fit(reader, data, CrossEntropyLoss{}, SGD{}, {.batch_size = 2}); });
  };
  CHECK(read(words(rows.folder / "words.bin", {0, 1, 2, 3, 4, 6})) == "(no error)");
  CHECK(has(read(words(rows.folder / "words.bin", {0, 1, 2, 3, 4, 7})), "row 2, feature 1 of the inputs is 7"));
  CHECK(has(read(words(rows.folder / "words.bin", {0, 1, std::numeric_limits<float>::infinity(), 3})),
            "row 1, feature 0 of the files is inf"));
}
