// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

/// What a network chosen at run time must have: the numbers in a row of inputs and of outputs. 0: any.
struct NetworkSizes {
  int inputs = 0, outputs = 0;
};

namespace detail {
/// A network of an AnyOf: as it is given, or, for a model, the one on Host.
template <class T>
struct NetworkFor {
  using Type = Network<T>;
};
template <class ModelType, class Device, class Precision, class Model>
struct NetworkFor<Network<ModelType, Device, Precision, Model>> {
  using Type = Network<ModelType, Device, Precision, Model>;
};

/// Whether all types differ.
template <class... T>
inline constexpr bool all_differ = true;
template <class First, class... Rest>
inline constexpr bool all_differ<First, Rest...> = (!std::same_as<First, Rest> && ...) && all_differ<Rest...>;

/// What an AnyOf reports about its networks.
SINTER_COLD std::string sizes_text(const NetworkSizes* sizes, std::size_t count);
[[noreturn]] SINTER_COLD void fail_index(std::size_t index, const NetworkSizes* sizes, std::size_t count);
[[noreturn]] SINTER_COLD void fail_sizes(NetworkSizes wanted, const NetworkSizes* sizes, std::size_t count);
}  // namespace detail

/// Where fit() and load() of an AnyOf are declared: they are found by their argument, and are no candidates where a
/// network is trained or loaded.
namespace choices {
struct Functions {};
}  // namespace choices

/// One of several networks, chosen when the program runs: by its number, or by the sizes of its rows, as where a file
/// contains the number of classes. Give it models, or networks where the device or precision is not the usual one.
///
///     AnyOf<Classes<2>, Classes<3>, Classes<10>> net({.outputs = class_count(data)});
///     fit(net, data, CrossEntropyLoss{}, Adam{});
///     net.run([](auto& chosen) { .. });  // the Network itself
///
/// A value, as large as the largest of them. Each network is compiled, whether it is chosen or not.
template <class... Nets>
class AnyNetworkOf : choices::Functions {
 public:
  using Networks = std::variant<Nets...>;
  template <std::size_t Index>
  using At = std::variant_alternative_t<Index, Networks>;
  static constexpr std::size_t count = sizeof...(Nets);
  static constexpr std::array<NetworkSizes, count> sizes{NetworkSizes{Nets::input_size, Nets::output_size}...};

  /// The network with that number. Fails if there is none.
  explicit AnyNetworkOf(std::size_t index, NetworkOptions options = {}) : networks_(make(All{}, index, options)) {}
  template <class Device>
    requires(std::constructible_from<Nets, Device, NetworkOptions> && ...)
  AnyNetworkOf(std::size_t index, const Device& device, NetworkOptions options = {})
      : networks_(make(All{}, index, device, options)) {}
  /// The first network with these sizes. If there is none, fails and lists the existing ones.
  explicit AnyNetworkOf(NetworkSizes wanted, NetworkOptions options = {}) : AnyNetworkOf(index_of(wanted), options) {}
  template <class Device>
    requires(std::constructible_from<Nets, Device, NetworkOptions> && ...)
  AnyNetworkOf(NetworkSizes wanted, const Device& device, NetworkOptions options = {})
      : AnyNetworkOf(index_of(wanted), device, options) {}
  /// One of them as it is.
  template <class Net>
    requires(std::same_as<Net, Nets> || ...)
  AnyNetworkOf(Net net) : networks_(std::move(net)) {}

  /// The number of the first network with these sizes.
  static std::size_t index_of(NetworkSizes wanted) {
    for (std::size_t i = 0; i < count; ++i)
      if ((wanted.inputs == 0 || wanted.inputs == sizes[i].inputs) &&
          (wanted.outputs == 0 || wanted.outputs == sizes[i].outputs))
        return i;
    detail::fail_sizes(wanted, sizes.data(), count);
  }

  std::size_t index() const { return networks_.index(); }
  int input_size() const { return sizes[index()].inputs; }
  int output_size() const { return sizes[index()].outputs; }

  /// f(net) with the network that was chosen: f is compiled for each of them, and returns the same type for all.
  template <class F>
  decltype(auto) run(F&& f) {
    return run_on(networks_, f);
  }
  template <class F>
  decltype(auto) run(F&& f) const {
    return run_on(networks_, f);
  }

  /// Network `index`, untrained, with this one's seed, and its device where it is of the same type.
  AnyNetworkOf fresh(std::size_t index) const {
    return run([&](const auto& now) { return fresh_like(All{}, index, now); });
  }

 private:
  using All = std::make_index_sequence<count>;
  struct Made {
    Networks networks;
  };
  explicit AnyNetworkOf(Made&& made) : networks_(std::move(made.networks)) {}

  template <std::size_t Index, class... Args>
  static Networks make_one(const Args&... args) {
    return Networks(std::in_place_index<Index>, args...);
  }
  template <std::size_t... Index, class... Args>
  static Networks make(std::index_sequence<Index...>, std::size_t index, const Args&... args) {
    if (index >= count) detail::fail_index(index, sizes.data(), count);
    using Make = Networks (*)(const Args&...);
    constexpr Make makers[] = {&make_one<Index, Args...>...};
    return makers[index](args...);
  }
  template <std::size_t Index, class Now>
  static AnyNetworkOf fresh_one(const Now& now) {
    if constexpr (std::same_as<typename At<Index>::Device, typename Now::Device>)
      return AnyNetworkOf(Made{make_one<Index>(now.device(), NetworkOptions{.seed = now.seed()})});
    else
      return AnyNetworkOf(Made{make_one<Index>(NetworkOptions{.seed = now.seed()})});
  }
  template <std::size_t... Index, class Now>
  static AnyNetworkOf fresh_like(std::index_sequence<Index...>, std::size_t index, const Now& now) {
    if (index >= count) detail::fail_index(index, sizes.data(), count);
    using Make = AnyNetworkOf (*)(const Now&);
    constexpr Make makers[] = {&fresh_one<Index, Now>...};
    return makers[index](now);
  }
  template <class Of, class F>
  static decltype(auto) run_on(Of& networks, F& f) {
    constexpr bool same = returns_the_same<Of, F>(All{});
    static_assert(
        same,
        "sinter: the function given to AnyOf::run returns different types for different networks; return one type");
    if constexpr (same) return std::visit([&](auto& net) -> decltype(auto) { return f(net); }, networks);
  }
  template <class Of, class F, std::size_t... Index>
  static constexpr bool returns_the_same(std::index_sequence<Index...>) {
    using First = decltype(std::declval<F&>()(std::get<0>(std::declval<Of&>())));
    return (std::same_as<decltype(std::declval<F&>()(std::get<Index>(std::declval<Of&>()))), First> && ...);
  }

  Networks networks_;

  // At the end, because clang ignores what follows it, and then misses it.
  static_assert(detail::all_differ<Nets...>, "sinter: a network is listed twice in this AnyOf; list each once");
};

/// Of nothing.
template <>
class AnyNetworkOf<> {
 public:
  template <class... Args>
  explicit AnyNetworkOf(const Args&...) {
    static_assert(sizeof...(Args) > 9, "sinter: AnyOf<> has no network to choose; list one or more models");
  }
};

/// Models, or networks.
template <class... Models>
using AnyOf = AnyNetworkOf<typename detail::NetworkFor<Models>::Type...>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::AnyOf;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/network/any_of.ipp"
#endif
