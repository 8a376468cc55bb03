// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "sinter/core/pack.hpp"
#include "sinter/fn/output_kind.hpp"
#include "sinter/loss/probe.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/loss/target.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/model/output_kind.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/heads.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// What does not suit the end of a network.
struct Mismatches {
  bool applied_twice, squashed_twice, not_logarithms, no_distribution, other_classes, other_outputs;
  constexpr bool any() const {
    return applied_twice || squashed_twice || not_logarithms || no_distribution || other_classes || other_outputs;
  }
};
/// Of `count` outputs of a model from number `first` on. The end of a model that is not valid is not known.
template <class Model, class Loss, int first, int count>
constexpr Mismatches mismatches() {
  using enum fn::OutputKind;
  constexpr bool valid = Model::valid, classes = std::is_same_v<typename Loss::Target, ClassTarget>;
  constexpr fn::OutputKind kind = output_kind<Model>(first, count), taken = fn::kind_taken_by<Loss>;
  constexpr bool shares = taken == numbers && (kind == probabilities || kind == log_probabilities);
  constexpr bool squashed = taken == numbers && kind == sigmoids;
  constexpr bool no_logarithms = valid && taken == log_probabilities && kind != log_probabilities && kind != unknown;
  return {classes && shares,         !classes && (shares || squashed),    classes && no_logarithms,
          !classes && no_logarithms, valid && !fits_classes<Loss, count>, valid && !fits_outputs<Loss, count>};
}

template <class Model, class Loss>
struct CheckedLoss {
  static constexpr bool fits_heads = HeadsOf<Model>::count == 0 || !std::is_same_v<typename Loss::Target, ClassTarget>;
  static constexpr Mismatches found = mismatches<Model, Loss, 0, Model::output_dims.size()>();
};
/// Outputs [first, first + count) and their loss.
template <class Model, class Loss, int first, int count>
struct CheckedPart {
  static constexpr Mismatches found = mismatches<Model, Loss, first, count>();
};
/// Each head is checked as a network of its own.
template <class Model, class... Losses>
struct CheckedLoss<Model, HeadLosses<Losses...>> {
  using Heads = HeadsOf<Model>;
  static constexpr bool fits_heads = [] {
    std::size_t i = 0;
    return Heads::count == sizeof...(Losses) && (true && ... && (Losses::first == Heads::first[i++])) &&
           HeadLosses<Losses...>::outputs == Heads::first[Heads::count];
  }();
  template <int... Index>
  static constexpr Mismatches all(std::integer_sequence<int, Index...>) {
    Mismatches sum{};
    const auto add = [&sum](Mismatches m) {
      sum = {sum.applied_twice || m.applied_twice,   sum.squashed_twice || m.squashed_twice,
             sum.not_logarithms || m.not_logarithms, sum.no_distribution || m.no_distribution,
             sum.other_classes || m.other_classes,   sum.other_outputs || m.other_outputs};
    };
    (add(CheckedPart<Model, typename Losses::Alone, Losses::first, Losses::size>::found), ...);
    return sum;
  }
  static constexpr Mismatches found = [] {
    if constexpr (fits_heads)
      return all(std::make_integer_sequence<int, static_cast<int>(sizeof...(Losses))>{});
    else
      return Mismatches{};
  }();
};
}  // namespace detail

namespace detail {
template <class Optimizer>
concept IsOptimizer = requires { Optimizer::states; };

template <class Loss, class V>
using TargetOf = std::conditional_t<std::is_same_v<typename Loss::Target, ClassTarget>, V, const V*>;
template <class Loss, class V>
concept TakesRow = requires(const Loss& loss, const V* y, TargetOf<Loss, V> target) {
  { loss.forward(y, 1, target) } -> std::convertible_to<V>;
};
template <class Loss, class V>
concept GoesBack = requires(const Loss& loss, const V* y, TargetOf<Loss, V> target, V scale, V* dy) {
  loss.backward(y, 1, target, scale, dy);
};

/// Whether the functions of a loss take what the kernels give them: numbers, and packs of them.
template <class T>
using SomePack = Pack<T, 16 / static_cast<int>(sizeof(T))>;
template <class Loss, class T>
inline constexpr bool has_forward = TakesRow<Loss, T> && TakesRow<Loss, SomePack<T>>;
template <class... Heads, class T>
inline constexpr bool has_forward<HeadLosses<Heads...>, T> = (has_forward<typename Heads::Alone, T> && ... && true);
template <class Loss, class T>
inline constexpr bool has_backward = GoesBack<Loss, T> && GoesBack<Loss, SomePack<T>>;
template <class... Heads, class T>
inline constexpr bool has_backward<HeadLosses<Heads...>, T> = (has_backward<typename Heads::Alone, T> && ... && true);

template <class Loss, class T>
constexpr bool forwards() {
  if constexpr (names_target<Loss>)
    return has_forward<Loss, T>;
  else
    return false;
}
template <class Loss, class T>
constexpr bool goes_back() {
  if constexpr (names_target<Loss>)
    return has_backward<Loss, T>;
  else
    return true;
}
}  // namespace detail

/// Whether something is a loss of numbers T, and one to train by unless it only `Judges`. If not, compilation ends here
/// with a message.
template <class Loss, class T, bool Judges = false>
constexpr bool check_is_loss() {
  constexpr bool loss = detail::names_target<Loss>;
  constexpr bool forward = !loss || detail::forwards<Loss, T>(),
                 backward = !forward || Judges || detail::goes_back<Loss, T>();
  static_assert(
      loss,
      "sinter: this is not a loss; give CrossEntropyLoss{}, MSELoss{} or another after the data; one of your own "
      "says using Target = ClassTarget or RowTarget");
  static_assert(forward,
                "sinter: a loss's forward cannot be called: V forward(const V* y, int n, V label) const, a template "
                "over V; const V* target in place of the label where Target is RowTarget");
  static_assert(backward,
                "sinter: a loss's backward cannot be called: void backward(const V* y, int n, V label, V scale, V* dy) "
                "const, a template over V; const V* target in place of the label where Target is RowTarget");
  return loss && forward && backward;
}
/// Whether a Trainer has a loss that compares outputs with targets. If not, compilation ends here with a message,
/// unless it has already been refused as a loss.
template <class Loss, class T>
constexpr bool check_has_loss() {
  constexpr bool given = !std::is_same_v<Loss, SuppliedGradient>;
  static_assert(given,
                "sinter: this Trainer has no loss to compare with targets: make it Trainer{net, MSELoss{}, optimizer}, "
                "or give the gradient of the outputs to backward(x, dy)");
  return given && detail::forwards<Loss, T>() && detail::goes_back<Loss, T>();
}
/// The same of an optimizer.
template <class Optimizer>
constexpr bool check_is_optimizer() {
  constexpr bool optimizer = detail::IsOptimizer<Optimizer>;
  static_assert(optimizer, "sinter: this is not an optimizer; give SGD{.lr = 0.1}, Adam{} or another after the loss");
  return optimizer;
}

/// Whether a loss suits the end of a network. The known mismatches would silently train badly: they are refused.
template <class Model, class Loss>
constexpr bool check_loss() {
  using Checked = detail::CheckedLoss<Model, Loss>;
  constexpr bool own_network = [] {
    if constexpr (requires { Checked::own_network; })
      return Checked::own_network;
    else
      return true;
  }();
  static_assert(
      own_network,
      "sinter: this loss is made for a network with other outputs: at_each_step<Net>(..) takes the Net that it "
      "compares");
  constexpr detail::Mismatches found = Checked::found;
  static_assert(Checked::fits_heads || !Model::valid,
                "sinter: a network with several outputs takes a loss for each: "
                "head_losses<Net>(CrossEntropyLoss{}, 0.5 * MSELoss{})");
  static_assert(!found.applied_twice,
                "sinter: CrossEntropyLoss takes scores and applies log-softmax itself: leave out the last "
                "(Log)Softmax, or use NLLLoss after LogSoftmax");
  static_assert(!found.squashed_twice,
                "sinter: BCEWithLogitsLoss takes scores and applies the sigmoid itself: leave out the last Sigmoid or "
                "(Log)Softmax");
  static_assert(!found.not_logarithms,
                "sinter: NLLLoss takes log-probabilities: end the network with LogSoftmax, or use CrossEntropyLoss");
  static_assert(!found.no_distribution, "sinter: KLDivLoss takes log-probabilities: end the network with LogSoftmax");
  static_assert(!found.other_classes,
                "sinter: this loss has weights for another number of classes than the network has outputs");
  static_assert(!found.other_outputs,
                "sinter: this loss reads another number of outputs than the network has: its `outputs` says how many; "
                "end the network in as many, or correct that number");
  return Model::valid && own_network && Checked::fits_heads && !found.any();
}

SINTER_NAMESPACE_END
