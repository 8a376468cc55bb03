// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "sinter/library/call_text.hpp"
#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/huber.hpp"
#include "sinter/loss/kl_div.hpp"
#include "sinter/loss/l1.hpp"
#include "sinter/loss/mse.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/loss/smooth_l1.hpp"

SINTER_NAMESPACE_BEGIN

/// One of the losses of labels, chosen when the program runs. Each has the bits of its own type.
struct LabelLoss {
  enum class Kind { cross_entropy, nll } kind = Kind::cross_entropy;
  CrossEntropyLoss cross_entropy = {};
  NLLLoss nll = {};

  using Target = ClassTarget;
  using OfLibrary = LabelLoss;
  static constexpr const char* name = "the loss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, V label) const {
    return kind == Kind::nll ? nll.forward(y, n, label) : cross_entropy.forward(y, n, label);
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, V label, V scale, V* dy) const {
    if (kind == Kind::nll)
      nll.backward(y, n, label, scale, dy);
    else
      cross_entropy.backward(y, n, label, scale, dy);
  }
  /// call(loss) of the one that is meant.
  template <class Call>
  auto with(Call&& call) const {
    return kind == Kind::nll ? call(nll) : call(cross_entropy);
  }
  void check() const { cross_entropy.check(); }

  static constexpr const char* names = "CrossEntropyLoss, NLLLoss";
  /// Sets what the text of a loss says; false if it is none of labels.
  bool set(const detail::CallText& call) {
    if (call.name == CrossEntropyLoss::name)
      kind = Kind::cross_entropy, detail::set_options(cross_entropy, call);
    else if (call.name == NLLLoss::name)
      kind = Kind::nll, detail::set_options(nll, call);
    else
      return false;
    return true;
  }
};

/// One of the losses of rows of numbers, chosen when the program runs.
struct RowLoss {
  enum class Kind { mse, l1, smooth_l1, huber, bce_with_logits, kl_div } kind = Kind::mse;
  MSELoss mse = {};
  L1Loss l1 = {};
  SmoothL1Loss smooth_l1 = {};
  HuberLoss huber = {};
  BCEWithLogitsLoss bce_with_logits = {};
  KLDivLoss kl_div = {};

  using Target = RowTarget;
  using OfLibrary = RowLoss;
  static constexpr const char* name = "the loss";

  template <class V>
  SINTER_FN V forward(const V* y, int n, const V* target) const {
    switch (kind) {
      case Kind::l1:
        return l1.forward(y, n, target);
      case Kind::smooth_l1:
        return smooth_l1.forward(y, n, target);
      case Kind::huber:
        return huber.forward(y, n, target);
      case Kind::bce_with_logits:
        return bce_with_logits.forward(y, n, target);
      case Kind::kl_div:
        return kl_div.forward(y, n, target);
      default:
        return mse.forward(y, n, target);
    }
  }
  template <class V>
  SINTER_FN void backward(const V* y, int n, const V* target, V scale, V* dy) const {
    switch (kind) {
      case Kind::l1:
        return l1.backward(y, n, target, scale, dy);
      case Kind::smooth_l1:
        return smooth_l1.backward(y, n, target, scale, dy);
      case Kind::huber:
        return huber.backward(y, n, target, scale, dy);
      case Kind::bce_with_logits:
        return bce_with_logits.backward(y, n, target, scale, dy);
      case Kind::kl_div:
        return kl_div.backward(y, n, target, scale, dy);
      default:
        return mse.backward(y, n, target, scale, dy);
    }
  }
  template <class Call>
  auto with(Call&& call) const {
    switch (kind) {
      case Kind::l1:
        return call(l1);
      case Kind::smooth_l1:
        return call(smooth_l1);
      case Kind::huber:
        return call(huber);
      case Kind::bce_with_logits:
        return call(bce_with_logits);
      case Kind::kl_div:
        return call(kl_div);
      default:
        return call(mse);
    }
  }
  void check() const {
    with([](const auto& loss) {
      if constexpr (requires { loss.check(); }) loss.check();
    });
  }
  bool takes_target(double target) const {
    return with([&](const auto& loss) {
      if constexpr (requires { loss.takes_target(target); })
        return loss.takes_target(target);
      else
        return true;
    });
  }
  const char* targets_taken() const {
    return with([](const auto& loss) -> const char* {
      if constexpr (requires { loss.targets_taken(); })
        return loss.targets_taken();
      else
        return "any numbers";
    });
  }

  static constexpr const char* names = "MSELoss, L1Loss, SmoothL1Loss, HuberLoss, BCEWithLogitsLoss, KLDivLoss";
  /// Sets what the text of a loss says; false if it is none of rows.
  bool set(const detail::CallText& call) {
    return try_to_set(call, mse, Kind::mse) || try_to_set(call, l1, Kind::l1) ||
           try_to_set(call, smooth_l1, Kind::smooth_l1) || try_to_set(call, huber, Kind::huber) ||
           try_to_set(call, bce_with_logits, Kind::bce_with_logits) || try_to_set(call, kl_div, Kind::kl_div);
  }

 private:
  template <class Loss>
  bool try_to_set(const detail::CallText& call, Loss& loss, Kind of_loss) {
    if (call.name != Loss::name) return false;
    kind = of_loss;
    detail::set_options(loss, call);
    return true;
  }
};

SINTER_NAMESPACE_END
