// SPDX-License-Identifier: MIT
#pragma once

/// What the parts of a trainable library, each compiled for another instruction set or device, offer to its C
/// interface. They share these types alone, so that the namespace is that of no part.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace sinter_trainable {

/// A loss, a gradient or a weight was not finite: the update was left out.
struct NotFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Rows to learn from, or to be judged by: inputs [count][inputs], and labels [count] or targets [count][outputs].
struct Rows {
  std::size_t count = 0;
  const float* inputs = nullptr;
  const std::int32_t* labels = nullptr;
  const float* targets = nullptr;
  const float* weights = nullptr;  // [count], or none
};

/// The results of one epoch; NaN where not measured.
struct Epoch {
  std::int32_t epoch;
  double train_loss, validation_loss, validation_accuracy, seconds, learning_rate;
};

struct FitOptions {
  std::size_t batch_size = 32;
  int epochs = 1;
  bool shuffle = true, drop_last = false;
  const Rows* validation = nullptr;
  std::size_t held_out_first = 0, held_out_count = 0;
  int patience = 0;  // epochs without a better loss after which training ends; 0: none
  double least_gain = 0;
  bool restore_best = false;
  int (*on_epoch)(void* context, const Epoch& epoch) = nullptr;  // other than 0 ends the training
  void* context = nullptr;
};

struct ParameterFacts {
  const char* name;
  std::size_t size, rank, shape[4];
};

class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual void fit(const Rows& rows, const FitOptions& options) = 0;
  virtual double step(const Rows& rows) = 0;
  virtual double accumulate(const Rows& rows) = 0;
  virtual void update() = 0;
  virtual void clear() = 0;
  virtual void stop() noexcept = 0;
  /// Why the last fit ended early; empty if it did not.
  virtual const char* stopped() const = 0;
  virtual std::size_t epochs() const = 0;
  virtual Epoch epoch(std::size_t number) const = 0;
  virtual double rate() const = 0;
  virtual void set_rate(double lr) = 0;
  virtual std::int64_t steps() const = 0;
  virtual float* state(const char* parameter, int number) = 0;
};

class Network : public std::enable_shared_from_this<Network> {
 public:
  virtual ~Network() = default;
  virtual std::shared_ptr<Network> copy() const = 0;
  virtual std::shared_ptr<Trainer> trainer(const char* loss, const char* optimizer, const char* schedule) = 0;
  virtual std::size_t inputs() const = 0;
  virtual std::size_t outputs() const = 0;
  virtual std::size_t input_shape(std::size_t* sizes) const = 0;
  virtual std::size_t output_shape(std::size_t* sizes) const = 0;
  virtual void load(const char* path) = 0;
  virtual void save(const char* path) const = 0;
  virtual void predict(const float* x, std::size_t rows, float* y) const = 0;
  virtual void evaluate(const char* loss, const Rows& rows, double& mean_loss, double& accuracy) const = 0;
  /// Parameters, and then buffers.
  virtual std::size_t parameters() const = 0;
  virtual ParameterFacts parameter(std::size_t number) const = 0;
  virtual float* parameter(const char* name) = 0;
  virtual float* gradient(const char* name) = 0;
  virtual void read(const char* name, float* to) const = 0;
  virtual void write(const char* name, const float* from) = 0;
};

/// A kind of network, by its name.
struct Kind {
  const char* name;
  std::shared_ptr<Network> (*create)(const char* device, std::uint64_t seed);
};
struct Part {
  const char* isa;  // as -march= takes it, or "cuda"
  const Kind* kinds;
  std::size_t count;
};

}  // namespace sinter_trainable
