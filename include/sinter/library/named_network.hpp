// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/io/library_interface.hpp"
#include "sinter/io/load.hpp"
#include "sinter/io/save.hpp"
#include "sinter/library/named_trainer.hpp"
#include "sinter/library/trainable.hpp"
#include "sinter/train/evaluate.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Number `:N` of a device's text after its name; `otherwise` without one. Fails unless it is `least` to 1024.
SINTER_COLD inline int number_of_device(std::string_view text, std::string_view name, int least, int otherwise) {
  std::string_view rest = text.substr(name.size());
  if (rest.empty()) return otherwise;
  int number = -1;
  const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), number);
  if (rest[0] != ':' || error != std::errc() || end != rest.data() + rest.size() || number < least || number > 1024)
    fail(joined({"the device \"", text, "\" is not known; give \"host\", \"host:2\" for two threads, or \"cuda:0\""}));
  return number;
}
/// Of a Host its threads, of a GPU its number.
template <class Device>
Device device_of(std::string_view text) {
  if constexpr (requires { typename Device::ISA; })
    return Device{.threads = number_of_device(text, Device::name, 1, 1)};
  else
    return Device{.device = number_of_device(text, Device::name, 0, 0)};
}

/// Why a loss would silently train a network badly; empty if it suits its end. See check_loss.
template <class Model, class Loss>
std::string mismatch_of() {
  constexpr Mismatches found = mismatches<Model, Loss, 0, Model::output_dims.size()>();
  if (found.applied_twice || found.squashed_twice)
    return joined({Loss::name,
                   " takes scores and applies the last function itself: train a network that ends without "
                   "Sigmoid or (Log)Softmax, or choose another loss"});
  if (found.not_logarithms || found.no_distribution)
    return joined({Loss::name, " takes log-probabilities, which this network does not end in; choose another loss"});
  return {};
}
template <class Model, class Named>
void check_end(const Named& named) {
  const std::string wrong =
      named.with([](const auto& loss) { return mismatch_of<Model, std::remove_cvref_t<decltype(loss)>>(); });
  if (!wrong.empty()) fail(wrong);
}

/// A network with its device behind a C interface.
template <class ModelType, class Device>
class NamedNetwork final : public sinter_trainable::Network {
  using Net = internal::Network<ModelType, Device>;
  using Model = typename Net::Model;
  using Ops = typename Net::Ops;
  using Rows = sinter_trainable::Rows;

 public:
  NamedNetwork(std::string_view device, std::uint64_t seed)
      : net_(std::make_shared<Net>(device_of<Device>(device), NetworkOptions{.seed = seed})) {}
  explicit NamedNetwork(const Net& net) : net_(std::make_shared<Net>(net)) {}

  std::shared_ptr<sinter_trainable::Network> copy() const override { return std::make_shared<NamedNetwork>(*net_); }
  std::shared_ptr<sinter_trainable::Trainer> trainer(const char* loss, const char* optimizer,
                                                     const char* schedule) override {
    const NamedTraining training(optimizer, schedule);
    return with_loss(loss, [&](const auto& chosen) -> std::shared_ptr<sinter_trainable::Trainer> {
      return std::make_shared<NamedTrainer<Net, std::remove_cvref_t<decltype(chosen)>>>(net_, chosen, training);
    });
  }

  std::size_t inputs() const override { return Net::input_size; }
  std::size_t outputs() const override { return Net::output_size; }
  std::size_t input_shape(std::size_t* sizes) const override { return library_shape(Model::InputRow::dims, sizes); }
  std::size_t output_shape(std::size_t* sizes) const override { return library_shape(Model::OutputRow::dims, sizes); }
  void load(const char* path) override { internal::load(*net_, path); }
  void save(const char* path) const override { internal::save(*net_, path); }
  void predict(const float* x, std::size_t rows, float* y) const override {
    check_row_count<Model>(rows);
    if (rows > 0 && (x == nullptr || y == nullptr)) fail("no rows were given, or no room for the outputs");
    const std::vector<std::int32_t> nothing(rows);
    const TensorView<const float, typename Model::InputRow> inputs{x, rows};
    predict_rows(*net_, dataset(inputs, nothing), forwarded_rows(*net_, rows), y);
  }
  void evaluate(const char* loss, const Rows& rows, double& mean_loss, double& accuracy) const override {
    const Evaluation result = with_loss(loss, [&](const auto& chosen) {
      using Given = TrainableRows<Model, std::remove_cvref_t<decltype(chosen)>>;
      return rows.weights == nullptr ? internal::evaluate(*net_, Given::plain(rows), chosen)
                                     : internal::evaluate(*net_, Given::weighted(rows), chosen);
    });
    mean_loss = result.loss;
    accuracy = result.accuracy;
  }

  std::size_t parameters() const override { return Ops::parameters.size() + Ops::buffers.size(); }
  sinter_trainable::ParameterFacts parameter(std::size_t number) const override {
    if (number >= parameters())
      fail(joined({"parameter ", number, " of ", parameters(), " was asked for; they count from 0"}));
    const Parameter& p = at(number);
    sinter_trainable::ParameterFacts facts{
        name_of(number), static_cast<std::size_t>(p.size), static_cast<std::size_t>(p.rank), {}};
    std::copy_n(p.shape.begin(), std::min(p.rank, 4), facts.shape);
    return facts;
  }
  float* parameter(const char* name) override {
    if constexpr (Net::on_host)
      return net_->data() + place_of(name).offset;
    else
      fail("the parameters of this network are in the memory of a GPU: read and write copies of them");
  }
  float* gradient(const char* name) override {
    const Parameter& p = Ops::parameters[Net::index_of(name)];
    if constexpr (Net::on_host)
      return net_->gradient().data() + p.offset;
    else
      fail("the gradients of this network are in the memory of a GPU");
  }
  void read(const char* name, float* to) const override {
    const Parameter& p = place_of(name);
    std::copy_n(net_->to_host().data() + p.offset, p.size, to);
  }
  void write(const char* name, const float* from) override {
    const Parameter& p = place_of(name);
    const auto& now = net_->to_host();
    std::vector<float> all(now.data(), now.data() + Ops::storage_size);
    std::copy_n(from, p.size, all.data() + p.offset);
    net_->from_host(all);
  }

 private:
  static const char* name_of(std::size_t number) {
    static const std::vector<std::string> names = [] {
      std::vector<std::string> all;
      for (const Parameter& p : Ops::parameters) all.emplace_back(p.name);
      for (const Parameter& p : Ops::buffers) all.emplace_back(p.name);
      return all;
    }();
    return names[number].c_str();
  }
  static const Parameter& at(std::size_t number) {
    return number < Ops::parameters.size() ? Ops::parameters[number] : Ops::buffers[number - Ops::parameters.size()];
  }
  static const Parameter& place_of(const char* name) {
    for (const Parameter& p : Ops::buffers)
      if (p.name == name) return p;
    return Ops::parameters[Net::index_of(name)];
  }
  template <class Call>
  static auto with_loss(const char* text, const Call& call) {
    const CallText read = read_call("loss", text);
    LabelLoss of_labels;
    RowLoss of_rows;
    if (of_labels.set(read)) {
      check_end<Model>(of_labels);
      return call(of_labels);
    }
    if (!of_rows.set(read)) fail_name("loss", read.name, joined({LabelLoss::names, ", ", RowLoss::names}));
    check_end<Model>(of_rows);
    return call(of_rows);
  }

  std::shared_ptr<Net> net_;
};

/// The kinds of networks of one part of a trainable library.
template <class Device, class... Models>
struct NamedKinds {
  template <class Model>
  static std::shared_ptr<sinter_trainable::Network> create(const char* device, std::uint64_t seed) {
    return std::make_shared<NamedNetwork<Model, Device>>(device, seed);
  }
  template <class Model>
  static const char* name() {
    static const std::string text(defined_name<Model>());
    return text.c_str();
  }
  static sinter_trainable::Part part(const char* isa) {
    constexpr bool distinct = [] {
      const std::string_view names[] = {defined_name<Models>()...};
      for (std::size_t i = 0; i < sizeof...(Models); ++i)
        for (std::size_t k = 0; k < i; ++k)
          if (names[i] == names[k]) return false;
      return true;
    }();
    static_assert((true && ... && (head_count<ModelOf<Models>> == 0)),
                  "sinter: a trainable library trains networks with one output, and one of these ends in Heads");
    static_assert(distinct,
                  "sinter: two networks of a trainable library have one name, by which both would be created");
    static const sinter_trainable::Kind kinds[] = {{name<Models>(), &create<Models>}...};
    return {isa, kinds, sizeof...(Models)};
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
