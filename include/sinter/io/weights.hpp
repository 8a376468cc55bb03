// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/io/named_tensor.hpp"
#include "sinter/io/numbers.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// The parameters and buffers of a model as named tensors on an array in the host's memory. The only place in io that
/// knows how a model keeps them.
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

/// The names of a tensor that a Shared has in several places: in another one, and in the first.
struct NameAgain {
  std::string name, first;
};
template <class Model>
std::vector<NameAgain> names_again() {
  using Ops = Program<Model>;
  std::vector<NameAgain> all;
  for (const auto& again : Ops::again) {
    const auto number = static_cast<std::size_t>(again.number);
    all.push_back({std::string(again.name), std::string(again.is_buffer ? Ops::buffers.begin()[number].name
                                                                        : Ops::parameters.begin()[number].name)});
  }
  return all;
}

/// Which tensors of a file a network took, and which of the two did not fit, by name.
struct Matched {
  std::vector<std::string> taken;
  std::vector<std::string> missing;     ///< the network has them, the file has not
  std::vector<std::string> unexpected;  ///< the file has them, the network has not
  std::vector<std::string> unlike;      ///< of another shape, or no floating-point numbers: left as they were
  /// What did not fit, in words; empty if everything did.
  std::string problem() const;
};

namespace detail {
SINTER_COLD inline std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += joined({text.empty() ? "" : ", ", item});
  return text;
}

/// PyTorch's count of the batches that a normalisation has seen, which nothing here needs.
inline bool is_batch_counter(const NamedTensor& tensor) {
  constexpr std::string_view name = "num_batches_tracked";
  return tensor.type == ElementType::i64 && tensor.shape.empty() && std::string_view(tensor.name).ends_with(name);
}

/// Tensors without those that are there again in another place of a Shared, as PyTorch's state_dict() lists them. Fails if
/// such copies differ.
SINTER_COLD inline std::vector<NamedTensor> without_copies(std::vector<NamedTensor> tensors,
                                                           const std::vector<NameAgain>& names, std::string_view file) {
  for (const auto& [name, first] : names) {
    const auto find = [&](const std::string& wanted) {
      return std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) { return tensor.name == wanted; });
    };
    const auto copy = find(name), original = find(first);
    if (copy == tensors.end()) continue;
    if (original == tensors.end()) {
      copy->name = first;
      continue;
    }
    if (copy->type != original->type || copy->shape != original->shape ||
        !std::equal(copy->bytes.begin(), copy->bytes.end(), original->bytes.begin()))
      fail(joined({file, " has other numbers in ", name, " than in ", first,
                   ", and the network has one tensor for both (Shared); save a model whose module is the same in both "
                   "places"}));
    tensors.erase(copy);
  }
  return tensors;
}

/// Copies what fits, name by name, and says what it did. Both lists have no name twice; `file` names the one in messages.
SINTER_COLD inline Matched take_tensors(const std::vector<NamedTensor>& from, const std::vector<WritableTensor>& to,
                                        std::string_view file) {
  Matched result;
  const auto find = [](const auto& list, const std::string& name) {
    for (const auto& tensor : list)
      if (tensor.name == name) return &tensor;
    return decltype(&list[0]){nullptr};
  };
  for (const auto& target : to) {
    const NamedTensor* source = find(from, target.name);
    if (!source) {
      result.missing.push_back(joined({target.name, " ", shape_text(target.shape)}));
    } else if (!is_floating(source->type)) {
      result.unlike.push_back(joined({target.name, " of ", name_of(source->type), ", expected F32, F64, F16 or BF16"}));
    } else if (source->shape != target.shape) {
      result.unlike.push_back(
          joined({target.name, " ", shape_text(source->shape), ", expected ", shape_text(target.shape)}));
    } else {
      const bool fits = target.type == ElementType::f32
                            ? copy_numbers<float>(source->type, source->bytes, target.bytes.data())
                            : copy_numbers<double>(source->type, source->bytes, target.bytes.data());
      if (!fits)
        fail(joined({file, " holds in ", target.name,
                     " numbers that are too large for a float; load it into a network of Float64"}));
      result.taken.push_back(target.name);
    }
  }
  for (const auto& source : from)
    if (!find(to, source.name) && !is_batch_counter(source))
      result.unexpected.push_back(joined({source.name, " ", shape_text(source.shape)}));
  return result;
}
}  // namespace detail

SINTER_COLD inline std::string Matched::problem() const {
  std::string text;
  const auto add = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) text += joined({text.empty() ? "" : "; ", what, detail::listed(names)});
  };
  add("missing: ", missing);
  add("unexpected: ", unexpected);
  add("unlike: ", unlike);
  return text;
}

SINTER_NAMESPACE_END
