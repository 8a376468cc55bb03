// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "sinter/data/check.hpp"
#include "sinter/data/records.hpp"
#include "sinter/data/viewed.hpp"
#include "sinter/report/history.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_embedded.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/evaluate_heads.hpp"
#include "sinter/train/evaluate_records.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Checks sizes, labels and numbers of training or validation data.
template <class Net, Dataset D, class Loss>
void check_learnable(const D& data, const Loss& loss) {
  check_size(data);
  check_loss_for<Net>(loss);
  check_targets_for(loss, batch_targets(data), Net::output_size);
  check_finite<typename Net::Scalar>(data);
  check_embedded<typename Net::Model>(data);
}
/// The rows of files are checked as they are read.
template <class Net, Records D, class Loss>
void check_learnable(const D&, const Loss& loss) {
  check_loss_for<Net>(loss);
}

/// The result of an evaluation: of the loss, and, if it has heads, of each.
inline void note_validation(EpochRecord& record, std::span<const Evaluation> results) {
  record.validation_loss = results[0].loss;
  record.validation_accuracy = results[0].accuracy;
  for (std::size_t h = 1; h < results.size(); ++h) {
    record.heads[h - 1].validation_loss = results[h].loss;
    record.heads[h - 1].validation_accuracy = results[h].accuracy;
  }
}

/// A loss with heads whose labels of positions only the host judges.
template <class Loss>
concept LabelsPositionsOfHeads = requires { requires Loss::labels_positions; };

/// On a device that keeps the dataset.
template <class Net, Dataset V, class Loss>
struct DeviceJudge {
  const Net& net;
  Loss loss;
  typename Net::Engine engine;
  decltype(std::declval<const typename Net::Engine&>().keep(std::declval<const V&>())) kept;
  std::size_t chunks;
  DeviceJudge(const Net& n, const V& rows, const Loss& l, std::size_t of_sequence)
      : net(n), loss(l), engine(n.device()), kept(engine.keep(rows)), chunks(of_sequence) {}
  void operator()(EpochRecord& record) {
    std::array<Evaluation, loss_sums<Loss>> all{evaluate_kept<labels_of_row<Loss>>(engine, net, kept, loss, chunks)};
    if constexpr (heads_of_loss<Loss> > 0)
      loss.for_each_alone([&](int number, const auto& alone) {
        constexpr bool classes = std::remove_cvref_t<decltype(alone.head)>::classes;
        all[1 + static_cast<std::size_t>(number)] = evaluate_kept<classes ? 1 : 0>(engine, net, kept, alone, chunks);
      });
    note_validation(record, all);
  }
};
/// On the threads of the host. `Rows` is a view, or a reference to other data.
template <class Net, class Rows, class Loss>
struct HostJudge {
  const Net& net;
  Rows rows;
  const Loss& loss;
  std::size_t chunks;
  void operator()(EpochRecord& record) const {
    if constexpr (Records<std::remove_cvref_t<Rows>>)
      note_validation(record, std::array{evaluate_records(net, rows, loss)});
    else if constexpr (heads_of_loss<Loss> > 0)
      note_validation(record, evaluate_rows_of_heads(net, rows, loss, chunks));
    else
      note_validation(record, std::array{evaluate_checked(net, rows, loss, chunks)});
  }
};

/// Fails if a network cannot be judged by the data.
template <class Net, class V, class Loss>
SINTER_COLD void check_validation(const V& rows, const Loss& loss, std::size_t chunks) {
  if (rows.size() == 0) fail("fit was given a validation dataset of 0 rows; give it 1 or more, or leave it out");
  if constexpr (Records<V>)
    if (chunks != 1) fail_chunks_of_files("the validation of fit", chunks);
  check_sequences(rows.size(), chunks, "the validation of fit");
  check_learnable<Net>(rows, loss);
}
/// A function that evaluates a network on the data and writes the result to a record.
template <class Net, class V, class Loss>
std::function<void(EpochRecord&)> judge_of(const Net& net, const V& rows, const Loss& loss, std::size_t chunks) {
  if constexpr (!Records<V>)
    if constexpr (evaluated_on_device<Net, V, Loss> && !LabelsPositionsOfHeads<Loss>)
      return [judge = std::make_shared<DeviceJudge<Net, V, Loss>>(net, rows, loss, chunks)](EpochRecord& record) {
        (*judge)(record);
      };
  return HostJudge<Net, std::conditional_t<is_view_of_data<V>, V, const V&>, Loss>{net, rows, loss, chunks};
}

}  // namespace detail

/// The validation data of fit(): a dataset or files, or their address, of any type that the network and the loss take,
/// or nothing. It refers to the data, which may be a temporary of the call of fit().
template <class Net, class Loss>
class Validation {
  template <class V>
  static constexpr bool is_dataset = TrainingData<V>;

 public:
  Validation(std::nullptr_t = nullptr) {}
  template <class V>
    requires(!std::is_pointer_v<V> && !std::is_same_v<V, std::nullptr_t> && !std::is_same_v<V, Validation>)
  Validation(const V& data) : Validation(&data) {}
  template <class V>
  Validation(const V* data) {
    constexpr bool dataset = is_dataset<V>;
    static_assert(dataset, "sinter: .validation takes a dataset, rows and their targets, or its address");
    if constexpr (dataset) {
      using Rows = detail::rows_given<V>;
      if constexpr (says_scale<Rows> && check_inputs<Net, inputs_of<Rows>>() &&
                    check_targets<Net, Loss, targets_of<Rows>>())
        if (data != nullptr) data_ = data, check_ = &check<V>, judge_ = &judge<V>;
    }
  }

  explicit operator bool() const { return data_ != nullptr; }
  /// Fails if a network cannot be judged by the data.
  void check(const Loss& loss, std::size_t chunks) const { check_(data_, loss, chunks); }
  /// A function that evaluates a network on the data each time it is called, and writes the result to a record.
  std::function<void(EpochRecord&)> judge(const Net& net, const Loss& loss, std::size_t chunks) const {
    return judge_(net, data_, loss, chunks);
  }

 private:
  template <class V>
  static void check(const void* data, const Loss& loss, std::size_t chunks) {
    detail::check_validation<Net>(detail::viewed(*static_cast<const V*>(data)), loss, chunks);
  }
  template <class V>
  static std::function<void(EpochRecord&)> judge(const Net& net, const void* data, const Loss& loss,
                                                 std::size_t chunks) {
    return detail::judge_of(net, detail::viewed(*static_cast<const V*>(data)), loss, chunks);
  }

  const void* data_ = nullptr;
  void (*check_)(const void*, const Loss&, std::size_t) = nullptr;
  std::function<void(EpochRecord&)> (*judge_)(const Net&, const void*, const Loss&, std::size_t) = nullptr;
};

SINTER_NAMESPACE_END
