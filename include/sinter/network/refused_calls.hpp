// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Why a workspace for this many rows is refused.
SINTER_COLD inline std::string workspace_problem(std::size_t rows) {
  return joined({"a workspace for batches of ", std::to_string(static_cast<std::ptrdiff_t>(rows)),
                 " rows was asked for; ask for 1 or more",
                 rows == 0 ? "" : joined({", and at most ", unsigned{INT32_MAX}})});
}
/// Why forward refuses rows, in a workspace for `most` of them.
SINTER_COLD inline std::string rows_problem(std::size_t rows, std::size_t most, bool nowhere) {
  const std::string given = "forward was given " + std::to_string(rows) + " rows ";
  if (nowhere) return given + "at a null pointer; give the address of the first number";
  if (most == 0) return "a workspace was used that has been moved from; use the one that it was moved to, or make one";
  return given + "and a workspace for " + std::to_string(most) + "; make a larger workspace";
}

/// The result of a refused call, whose use causes no further message.
struct AnyAnswer {
  template <class T>
  operator T() const;
};

/// Members of other libraries that are functions here. (Compilers show the line with its comment.)
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
