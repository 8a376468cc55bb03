// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/io/named_tensor.hpp"
#include "sinter/io/numbers.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// The parameters and buffers of a model as named tensors on an array in host memory. The only place in io that knows
/// how a model stores them.
template <class Model, class T>
auto tensors_on(T* arena, bool with_buffers = true) {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  std::vector<BasicNamedTensor<Byte>> all;
  const auto add = [&](const Parameter& p) {
    all.push_back({std::string(p.name),
                   element_type_of<std::remove_const_t<T>>,
                   {p.shape.begin(), p.shape.begin() + p.rank},
                   {reinterpret_cast<Byte*>(arena + p.offset), static_cast<std::size_t>(p.size) * sizeof(T)}});
  };
  for (const Parameter& p : Program<Model>::parameters) add(p);
  if (with_buffers)
    for (const Parameter& p : Program<Model>::buffers) add(p);
  return all;
}

/// What save(), save_checkpoint() and resume() may be told besides.
struct FileOptions {
  /// Also weights that are NaN or infinite, and running variances below 0, which are refused otherwise.
  bool allow_nan = false;
};

/// Which tensors of a file a network took, and which of the two did not fit, by name.
struct Matched {
  std::vector<std::string> taken;
  std::vector<std::string> missing;     ///< in the network, but not in the file
  std::vector<std::string> unexpected;  ///< in the file, but not in the network
  std::vector<std::string> unlike;      ///< of another shape, or not floating-point numbers: left unchanged
  /// A text that says what did not fit; empty if everything did.
  std::string problem() const;
};

namespace detail {
/// The names of a tensor of a Shared that is used in several places: in another place, and in the first.
struct NameAgain {
  std::string name, first;
};
template <class Model>
std::vector<NameAgain> names_again() {
  using Ops = Program<Model>;
  std::vector<NameAgain> all;
  for (const auto& again : Ops::again) {
    const auto number = static_cast<std::size_t>(again.number);
    const std::string first(again.is_buffer ? Ops::buffers.begin()[number].name : Ops::parameters.begin()[number].name);
    all.push_back(NameAgain{std::string(again.name), first});
  }
  return all;
}

SINTER_COLD std::string listed(const std::vector<std::string>& items);

/// PyTorch's count of the batches that a normalisation has seen, which sinter does not use.
bool is_batch_counter(const NamedTensor& tensor);

/// Tensors without the copies for other places of a Shared, which PyTorch's state_dict() contains. Fails if such copies
/// differ.
SINTER_COLD std::vector<NamedTensor> without_copies(std::vector<NamedTensor> tensors,
                                                    const std::vector<NameAgain>& names, std::string_view file);

/// Copies what fits, name by name, and reports what it did. Names are unique in both lists; `file` names the file in
/// messages.
SINTER_COLD Matched take_tensors(const std::vector<NamedTensor>& from, const std::vector<WritableTensor>& to,
                                 std::string_view file);

/// Whether a tensor has the running variances of a batch normalisation.
inline bool is_running_variance(std::string_view name) { return name.ends_with("running_var"); }
/// Names a tensor of floats or doubles that has NaN or infinity in it, or a variance below 0, in what messages call
/// `holder`; empty if none has.
SINTER_COLD std::string wrong_numbers_in(const std::vector<NamedTensor>& tensors, std::string_view holder);
/// Fails if a network that is to be saved has such a tensor.
SINTER_COLD void refuse_wrong_numbers(const std::vector<NamedTensor>& tensors);
}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/weights.ipp"
#endif
