// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <span>

#include "sinter/core/text.hpp"
#include "sinter/io/weights.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (const auto& item : items) text += joined({text.empty() ? "" : ", ", item});
  return text;
}

SINTER_FUNCTION bool is_batch_counter(const NamedTensor& tensor) {
  constexpr std::string_view name = "num_batches_tracked";
  return tensor.type == ElementType::i64 && tensor.shape.empty() && std::string_view(tensor.name).ends_with(name);
}

SINTER_FUNCTION std::vector<NamedTensor> without_copies(std::vector<NamedTensor> tensors,
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

SINTER_FUNCTION Matched take_tensors(const std::vector<NamedTensor>& from, const std::vector<WritableTensor>& to,
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

/// How many numbers of a tensor are not finite, or else below 0.
struct WrongNumbers {
  std::size_t not_finite = 0, negative = 0;
};
SINTER_FUNCTION WrongNumbers wrong_numbers(const NamedTensor& tensor) {
  const auto count = [&]<class T>(const T* numbers) {
    const std::span<const T> all(numbers, tensor.bytes.size() / sizeof(T));
    WrongNumbers wrong;
    if (!all_finite(all.data(), all.size()))
      wrong.not_finite = static_cast<std::size_t>(std::ranges::count_if(all, [](T x) { return !is_finite(x); }));
    else if (is_running_variance(tensor.name))
      wrong.negative = static_cast<std::size_t>(std::ranges::count_if(all, [](T x) { return x < 0; }));
    return wrong;
  };
  const void* const numbers = tensor.bytes.data();
  return tensor.type == ElementType::f32 ? count(static_cast<const float*>(numbers))
                                         : count(static_cast<const double*>(numbers));
}

SINTER_FUNCTION std::string wrong_numbers_in(const std::vector<NamedTensor>& tensors, std::string_view holder) {
  for (const NamedTensor& tensor : tensors) {
    const WrongNumbers wrong = wrong_numbers(tensor);
    const std::size_t count = wrong.not_finite + wrong.negative;
    if (count > 0)
      return joined({holder, " has ", wrong.not_finite > 0 ? "NaN or infinity" : "a variance below 0", " in ",
                     tensor.name, " ", shape_text(tensor.shape), ", ", count, count == 1 ? " time" : " times"});
  }
  return {};
}

SINTER_FUNCTION void refuse_wrong_numbers(const std::vector<NamedTensor>& tensors) {
  if (const std::string found = wrong_numbers_in(tensors, "the network that was to be saved"); !found.empty())
    fail(joined({found,
                 "; train it again from weights that have none, or save them all the same by "
                 "FileOptions{.allow_nan = true}"}));
}

}  // namespace detail

SINTER_COLD SINTER_FUNCTION std::string Matched::problem() const {
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
