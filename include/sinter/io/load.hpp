// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/read_file.hpp"
#include "sinter/io/about.hpp"
#include "sinter/io/checksum.hpp"
#include "sinter/io/rename.hpp"
#include "sinter/io/safetensors.hpp"
#include "sinter/io/self_test.hpp"
#include "sinter/io/weights.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

/// What load() takes from a file.
struct LoadOptions {
  bool partial = false;    ///< take what fits and leave the rest as it is, instead of failing
  bool checksum = true;    ///< fail if the file has another checksum than when it was written
  bool allow_nan = false;  ///< also take weights that are NaN or infinite, which are refused otherwise
  bool self_test = true;   ///< replay the file's self-test, if it has one and all of its tensors were taken
  /// Names in the file, and the network's names for them: whole names, or prefixes that end in a dot: {{"conv1.",
  /// "0."}, ..}.
  std::vector<detail::RenameRule> rename{};
};

/// What load() took, and the other contents of the file.
struct Loaded : Matched {
  About about;
  std::string version;       ///< of sinter that wrote the file; empty if something else did
  bool self_tested = false;  ///< the outputs are those from when the network was saved
  /// Why the file's self-test was skipped, if the network that saved it had inputs of another size; else empty.
  std::string self_test_skipped = {};
};

namespace detail {
SINTER_COLD void check_checksum_of_weights(const TensorFile& from, const std::string& name);

/// Matches the tensors of a file with tensors in memory; fails if they do not fit.
SINTER_COLD Loaded take_file(const TensorFile& from, const std::vector<WritableTensor>& to, const LoadOptions& options,
                             const FileFacts& facts, Dims inputs, std::size_t outputs, const std::string& name);

/// Gives a network other parameters, and restores the previous ones unless they are kept.
template <class Net>
class Trial {
 public:
  Trial(Net& net, std::span<const typename Net::Scalar> before, std::span<const typename Net::Scalar> values)
      : net_(net), before_(before) {
    net.from_host(values);
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    if (!kept_) net_.from_host(before_);
  }
  void keep() { kept_ = true; }

 private:
  Net& net_;
  std::span<const typename Net::Scalar> before_;
  bool kept_ = false;
};
}  // namespace detail

namespace detail {
template <class Net>
Loaded load_bytes(Net& net, std::span<const std::byte> file, const LoadOptions& options, const std::string& name) {
  using Model = typename Net::Model;
  using T = typename Net::Scalar;
  TensorFile from = parse_safetensors(file, name);
  if (options.checksum) detail::check_checksum_of_weights(from, name);
  if (!options.rename.empty()) from.tensors = detail::renamed(from.tensors, options.rename, name);
  if constexpr (!Net::Ops::again.empty())
    from.tensors = detail::without_copies(std::move(from.tensors), detail::names_again<Model>(), name);
  const FileFacts facts = detail::facts_of(from.metadata, name);
  if (!options.partial) detail::check_head_classes_of<Model>(facts.about.head_classes, name + " has");
  const AlignedArray<T> before = net.to_host();
  AlignedArray<T> values = before;
  Loaded loaded = detail::take_file(from, tensors_on<Model>(values.data()), options, facts, Model::InputRow::dims,
                                    static_cast<std::size_t>(Net::output_size), name);

  detail::Trial<Net> trial(net, before, values);
  if (options.self_test && facts.self_test && loaded.problem().empty()) {
    loaded.self_test_skipped = detail::self_test_of_other_size(*facts.self_test, Net::input_size);
    if (loaded.self_test_skipped.empty()) {
      const auto inputs = detail::flattened(facts.self_test->inputs, Net::input_size, "inputs", name);
      const auto outputs = detail::flattened(facts.self_test->outputs, Net::output_size, "outputs", name);
      detail::check_self_test(detail::outputs_for(net, inputs), outputs, detail::self_test_tolerance(from.tensors),
                              name);
      loaded.self_tested = true;
    }
  }
  trial.keep();
  return loaded;
}

struct SourceLeftOut {};
template <class Net>
struct OptionsOfLoad {
  using Type = LoadOptions;
};
/// LoadOptions, as the compiler shows them if a field is misspelt.
template <class Net>
using load_takes_partial_checksum_allow_nan_self_test_rename = typename OptionsOfLoad<Net>::Type;
}  // namespace detail

/// Gives a network the parameters of any safetensors file, by name: from its path, or from its bytes in memory. F64,
/// F16 and BF16 are converted. Fails, and names all tensors that are missing, unexpected or of another shape, unless
/// file and network have the same tensors, and fails at a wrong checksum, at weights that are NaN or infinite, and if
/// the self-test does; the network is then unchanged. A network of convolutions has the same tensors for inputs of any
/// size: a self-test of another size is skipped, and `self_test_skipped` says so. `name` is what messages call bytes.
template <class Given, class Source = detail::SourceLeftOut, detail::IfNetworkIsMeant<Given, Source> = 0>
  requires(!detail::is_any_of_networks<std::remove_cvref_t<Given>>)  // those have a load of their own
auto load(Given&& net, const Source& source = {},  // sinter: load gives a network its weights: load(net, path)
          const detail::load_takes_partial_checksum_allow_nan_self_test_rename<Given>& options = {},
          const std::string& name = "the safetensors data") {
  using Net = std::remove_reference_t<Given>;
  constexpr bool network = detail::IsNetwork<Net>, named = std::is_lvalue_reference_v<Given>,
                 constant = std::is_const_v<Net>, path = std::is_convertible_v<const Source&, std::string>,
                 bytes = std::is_convertible_v<const Source&, std::span<const std::byte>>;
  static_assert(network || !detail::IsNetwork<Source>,
                "sinter: the network comes before the path: load(net, \"net.safetensors\")");
  static_assert(network || detail::IsNetwork<Source>,
                "sinter: load gives an existing Network its weights: Network<Model> net; load(net, path);");
  static_assert(!network || !constant, "sinter: load() gives a network other parameters, and this one is const");
  static_assert(!network || named,
                "sinter: load gives weights to a network that has a name, and this one is temporary");
  static_assert(!network || path || bytes,
                "sinter: load takes the path of a file or its bytes: load(net, \"net.safetensors\")");
  if constexpr (!network || constant || !named || (!path && !bytes))
    return Loaded{};
  else if constexpr (path)
    return detail::load_bytes(net, read_file(source, "safetensors file"), options, source);
  else
    return detail::load_bytes(net, source, options, name);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::load;
using internal::Loaded;
using internal::LoadOptions;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/io/load.ipp"
#endif
