// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What a refused call would return, so that what is done with it gives no further message.
struct AnyAnswer {
  template <class T>
  operator T() const;
};

/// What other libraries have as members, and this one as functions. (A compiler shows the line with its comment.)
struct RefusedCalls {
  AnyAnswer fit(...) const = delete;       // sinter: fit is a function: fit(net, data, CrossEntropyLoss{}, Adam{})
  AnyAnswer predict(...) const = delete;   // sinter: predict is a function: predict(net, x)
  AnyAnswer score(...) const = delete;     // sinter: score is a function: score(net, data)
  AnyAnswer evaluate(...) const = delete;  // sinter: evaluate is a function: evaluate(net, data, CrossEntropyLoss{})
  AnyAnswer save(...) const = delete;  // sinter: save is a function, of <sinter/io.hpp>: save(net, "net.safetensors")
  AnyAnswer load(...) const = delete;  // sinter: load is a function, of <sinter/io.hpp>: load(net, "net.safetensors")
  AnyAnswer summary(...) const = delete;  // sinter: summary is a function of the model: summary<Model>()
  AnyAnswer to(...) const = delete;       // sinter: a copy goes to another device: Network<Model, Cuda> there = net
  AnyAnswer train(...) const = delete;    // sinter: a network has no mode: fit and Trainer train, the others do not
  AnyAnswer eval(...) const = delete;     // sinter: a network has no mode: forward and predict never train
};

}  // namespace detail

SINTER_NAMESPACE_END
