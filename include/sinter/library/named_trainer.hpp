// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sinter/library/named_loss.hpp"
#include "sinter/library/named_optimizer.hpp"
#include "sinter/library/named_schedule.hpp"
#include "sinter/library/trainable.hpp"
#include "sinter/library/trainable_rows.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/train/early_stopping.hpp"
#include "sinter/train/fit.hpp"
#include "sinter/train/reduce_lr_on_plateau.hpp"
#include "sinter/train/restore_best.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_COLD inline void check_rate(double lr) {
  if (!is_finite(static_cast<float>(lr)))
    fail("the learning rate " + exact_text(lr) + " was given, expected one that a float can hold");
}

/// What the texts of an optimizer and a schedule say: `per_epoch(StepLR(step_size=10))`, per_step(..), or a schedule of
/// epochs without either.
struct NamedTraining {
  NamedOptimizer optimizer;
  NamedSchedule schedule;
  std::optional<ReduceLROnPlateau> plateau;
  bool by_step = false;

  SINTER_COLD NamedTraining(const char* of_optimizer, const char* of_schedule) {
    optimizer.set(read_call("optimizer", of_optimizer));
    check_rate(optimizer.lr);
    const CallText call = read_call_of_schedule(of_schedule);
    if (!call.name.empty()) set(call);
  }

 private:
  /// What is within per_step(..) or per_epoch(..); no name where there is no schedule.
  SINTER_COLD CallText read_call_of_schedule(std::string_view text) {
    text = without_spaces(text);
    if (text.empty()) return {};
    for (const std::string_view name : {"per_step(", "per_epoch("})
      if (text.starts_with(name) && text.ends_with(')')) {
        by_step = name == "per_step(";
        text = text.substr(name.size(), text.size() - name.size() - 1);
        break;
      }
    return read_call("schedule", text);
  }
  SINTER_COLD void set(const CallText& call) {
    if (call.name != "ReduceLROnPlateau") return schedule.set(call);
    if (by_step) fail("ReduceLROnPlateau looks at the loss of each epoch; write it without per_step(..)");
    set_options(plateau.emplace(), call);
  }
};

/// What fit calls for a trainer of a C interface.
template <class Net>
class TrainableCallback {
 public:
  TrainableCallback(Net& net, const sinter_trainable::FitOptions& options, std::atomic<bool>& stop,
                    std::optional<ReduceLROnPlateau>& plateau, std::vector<sinter_trainable::Epoch>& epochs)
      : options_(options), stop_(stop), plateau_(plateau), epochs_(epochs) {
    if (options.patience != 0) early_.emplace(EarlyStopping{options.patience, options.least_gain});
    if (options.restore_best) best_.emplace(net);
  }
  void on_begin(const TrainingInfo& info) {
    if (early_) early_->on_begin(info);
    if (best_) best_->on_begin(info);
    if (plateau_) plateau_->validates = info.validates;
  }
  bool on_batch_end(const BatchInfo&) { return !(stopped_ = stop_.load()); }
  bool on_epoch_end(const EpochRecord& record, const History& history) {
    epochs_.push_back({record.epoch, record.train_loss, record.validation_loss, record.validation_accuracy,
                       record.seconds, record.learning_rate});
    if (best_) best_->on_epoch_end(record, history);
    const bool go_on = !early_ || early_->on_epoch_end(record, history);
    asked_ = options_.on_epoch != nullptr && options_.on_epoch(options_.context, epochs_.back()) != 0;
    return go_on && !asked_;
  }
  double next_rate(const EpochRecord& record, double lr) { return plateau_ ? plateau_->next_rate(record, lr) : lr; }
  void on_end(const History& history) {
    if (best_) best_->on_end(history);
  }
  std::string reason() const {
    return stopped_ ? "stop was called" : asked_ || !early_ ? "the callback asked for it" : early_->reason();
  }

 private:
  const sinter_trainable::FitOptions& options_;
  std::atomic<bool>& stop_;
  std::optional<ReduceLROnPlateau>& plateau_;
  std::vector<sinter_trainable::Epoch>& epochs_;
  std::optional<EarlyStopping> early_;
  std::optional<RestoreBest<Net>> best_;
  bool stopped_ = false, asked_ = false;
};

/// Trains a network, which it keeps alive, by a loss, an optimizer and a schedule that are chosen by name.
template <class Net, class Loss>
class NamedTrainer final : public sinter_trainable::Trainer {
  using Rows = sinter_trainable::Rows;
  using Given = TrainableRows<typename Net::Model, Loss>;

 public:
  NamedTrainer(std::shared_ptr<Net> net, const Loss& loss, const NamedTraining& training)
      : net_(std::move(net)),
        loss_(loss),
        plateau_(training.plateau),
        by_epoch_(!training.by_step &&
                  (training.schedule.kind != NamedSchedule::Kind::none || training.schedule.warm_up > 0)),
        optimizer_(training.optimizer, training.schedule, by_epoch_ ? 0 : 1) {
    if (plateau_) plateau_->on_begin({});
  }

  void fit(const Rows& rows, const sinter_trainable::FitOptions& options) override {
    const auto train = [&](const auto& data) { fit_on(data, options); };
    rows.weights == nullptr ? train(Given::plain(rows)) : train(Given::weighted(rows));
  }
  double step(const Rows& rows) override {
    return on(rows, [&](const auto& data) { return static_cast<double>(trainer().step(data)); });
  }
  double accumulate(const Rows& rows) override {
    return on(rows, [&](const auto& data) { return static_cast<double>(trainer().accumulate(data)); });
  }
  void update() override {
    trainer().update();
    check_sound();
  }
  void clear() override { trainer().clear(); }
  void stop() noexcept override { stop_ = true; }
  const char* stopped() const override { return stopped_.c_str(); }
  std::size_t epochs() const override { return epochs_.size(); }
  sinter_trainable::Epoch epoch(std::size_t number) const override {
    if (number >= epochs_.size())
      fail("epoch " + std::to_string(number) + " of " + std::to_string(epochs_.size()) +
           " was asked for; they count from 0");
    return epochs_[number];
  }
  double rate() const override { return trainer_ ? trainer_->rate() : optimizer_.schedule(optimizer_.lr, 0); }
  void set_rate(double lr) override {
    require_at_least_zero("the trainer", "lr", lr);
    check_rate(lr);
    (trainer_ ? trainer_->optimizer() : optimizer_).lr = lr;
  }
  std::int64_t steps() const override { return trainer_ ? trainer_->steps() : 0; }
  float* state(const char* parameter, int number) override {
    if constexpr (Net::on_host) {
      if (number < 0 || number >= optimizer_.states_of_kind())
        fail("the state " + std::to_string(number) + " of an optimizer with " +
             std::to_string(optimizer_.states_of_kind()) + " was asked for; they count from 0");
      const auto numbers = trainer().optimizer_state(parameter, number);
      if (numbers.empty()) fail("this optimizer keeps no state with these options, as SGD without momentum");
      return numbers.data();
    } else {
      fail("the state of this optimizer is in the memory of a GPU");
    }
  }

 private:
  using Optimizer = Scheduled<NamedOptimizer, NamedSchedule>;

  /// Made when it is first needed: a schedule of epochs has to know how many steps they have, which fit tells it.
  internal::Trainer<Net, Loss, Optimizer>& trainer() {
    if (!trainer_) {
      if (optimizer_.steps == 0)
        fail(
            "the schedule counts epochs, and no fit has said yet how many steps they have; call fit first, or write "
            "the schedule within per_step(..)");
      trainer_.emplace(*net_, loss_, optimizer_);
    }
    return *trainer_;
  }
  void check_sound() const {
    if (!trainer_->problem().empty()) throw sinter_trainable::NotFinite(trainer_->problem());
  }
  template <class Call>
  double on(const Rows& rows, const Call& call) {
    const double loss = rows.weights == nullptr ? call(Given::plain(rows)) : call(Given::weighted(rows));
    check_sound();
    return loss;
  }
  template <class D>
  void fit_on(const D& data, const sinter_trainable::FitOptions& options) {
    check_fit(data.size(), options.batch_size, options.epochs, 0);
    check_held_out(data.size(), {options.held_out_first, options.held_out_count});
    FitOptions<D, Net, Loss> own{.batch_size = options.batch_size,
                                 .epochs = options.epochs,
                                 .held_out = {options.held_out_first, options.held_out_count},
                                 .shuffle = options.shuffle,
                                 .drop_last = options.drop_last,
                                 .first_epoch = static_cast<int>(epochs_.size())};
    std::optional<typename Given::Plain> plain;
    std::optional<typename Given::Weighted> weighted;
    if (options.validation != nullptr && options.validation->weights == nullptr)
      own.validation = &plain.emplace(Given::plain(*options.validation));
    else if (options.validation != nullptr)
      own.validation = &weighted.emplace(Given::weighted(*options.validation));
    if (running_) fail("fit was called by a callback of fit; call it when that has returned");
    const WhileRunning running(running_);
    TrainableCallback<Net> callback(*net_, options, stop_, plateau_, epochs_);
    stopped_.clear();
    const bool is_new = !trainer_;
    const std::pair before{now().steps, now().first_step};
    if (by_epoch_) {  // which may have another number of steps than those before
      const std::size_t of_epoch = rows_of_epoch(data.size() - options.held_out_count, own);
      now().steps =
          static_cast<long>(std::max<std::size_t>(of_epoch / own.batch_size + (of_epoch % own.batch_size != 0), 1));
      now().first_step = static_cast<long>(epochs_.size()) * now().steps - static_cast<long>(steps());
    }
    const std::size_t made = epochs_.size();
    try {
      stopped_ = trainers::fit(trainer(), data, own, callback).stopped;
    } catch (...) {
      if (epochs_.size() == made) {
        if (is_new) trainer_.reset();
        std::tie(now().steps, now().first_step) = before;
      }
      throw;
    }
    stop_ = false;
    if (!stopped_.empty() && !trainer_->problem().empty()) throw sinter_trainable::NotFinite(stopped_);
  }

  struct WhileRunning {
    bool& running;
    explicit WhileRunning(bool& flag) : running(flag) { running = true; }
    WhileRunning(const WhileRunning&) = delete;
    WhileRunning& operator=(const WhileRunning&) = delete;
    ~WhileRunning() { running = false; }
  };
  Optimizer& now() { return trainer_ ? trainer_->optimizer() : optimizer_; }

  std::shared_ptr<Net> net_;
  Loss loss_;
  std::optional<ReduceLROnPlateau> plateau_;
  bool by_epoch_, running_ = false;
  Optimizer optimizer_;
  std::optional<internal::Trainer<Net, Loss, Optimizer>> trainer_;
  std::vector<sinter_trainable::Epoch> epochs_;
  std::string stopped_;
  std::atomic<bool> stop_{false};
};

}  // namespace detail

SINTER_NAMESPACE_END
