// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/path.hpp"
#include "sinter/layers/recurrent.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_path_to_steps_of_features_and_one_length_and_as_many_numbers_of_the_first_state_as_its_layer_has;
}  // namespace needs

/// The layers that compute the number of steps of a row from the input of a Recurrent: one number.
template <class... Layers>
struct Lengths : detail::Chain<Layers...> {};
/// The layers that compute the state before the first step from the input of a Recurrent: PyTorch's h_0, followed by
/// c_0 for an LSTM. Each has the numbers of the first layer, then of the second one, .., of both directions.
template <class... Layers>
struct InitialState : detail::Chain<Layers...> {};

namespace detail {
/// The branch of a kind among others; if there is none, one without layers.
template <template <class...> class Kind, class... Branches>
struct BranchOf {
  using Type = Kind<>;
  static constexpr int count = 0;
};
template <template <class...> class Kind, class First, class... Rest>
struct BranchOf<Kind, First, Rest...> : BranchOf<Kind, Rest...> {};
template <template <class...> class Kind, class... Layers, class... Rest>
struct BranchOf<Kind, Kind<Layers...>, Rest...> {
  using Type = Kind<Layers...>;
  static constexpr int count = 1 + BranchOf<Kind, Rest...>::count;
};
/// A recurrent layer, or a placeholder if the argument is not one.
template <class L>
struct RecurrentOr {
  using Type = RecurrentLayer<cells::Rnn, 1>;
};
template <class L>
  requires requires { L::state_size; }
struct RecurrentOr<L> {
  using Type = L;
};
}  // namespace detail

/// A recurrent layer whose steps come from a branch, as do the length of a row or the state before its first step:
///     Recurrent<LSTM<48, FinalState>, Path<Slice<1, 40>, Embedding<5000, 32>>, Lengths<Slice<0, 1>>>
///     Recurrent<GRU<16>, Path<Slice<8, 60>, Reshape<20, 3>>, InitialState<Slice<0, 8>, Linear<16>>>
/// PyTorch's layer(steps, state), and layer(pack_padded_sequence(steps, lengths), state). A length is a whole number
/// from 1 to the steps there are; of a row with another one all outputs are NaN. Outputs after the last step of a row
/// are 0, and so are the gradients of what the row has there; with FinalState y is h after the last step of the row.
/// Parameters are named as those of the layer, "weight_ih_l0", and by branch, "path.1.weight", "initial_state.1.bias".
template <class GivenLayer, class GivenPath, class... GivenBranches>
struct Recurrent {
 private:
  using Layer = typename detail::RecurrentOr<GivenLayer>::Type;
  using Steps = detail::chain_of<GivenPath>;
  using LengthFound = detail::BranchOf<Lengths, GivenBranches...>;
  using StateFound = detail::BranchOf<InitialState, GivenBranches...>;
  using LengthLayers = typename LengthFound::Type;
  using StateLayers = typename StateFound::Type;
  static constexpr bool ragged = LengthFound::count > 0, given = StateFound::count > 0;
  using OwnOps = typename Layer::template OpsWith<given, ragged>;
  template <class Branch>
  static constexpr bool makes(Dims in, int numbers) {
    return Branch::accepts(in) && Branch::output(in).size() == numbers;
  }

 public:
  static constexpr const char* name = Layer::name;
  using Needs =
      needs::a_path_to_steps_of_features_and_one_length_and_as_many_numbers_of_the_first_state_as_its_layer_has;
  using Parts = TypeList<Steps, LengthLayers, StateLayers>;
  using PartNames = TypeList<place::path, place::lengths, place::initial_state>;
  using Ops = concatenate<typename Steps::Ops, typename LengthLayers::Ops, typename StateLayers::Ops, OwnOps>;
  static constexpr bool accepts(Dims in) {
    return Steps::accepts(in) && Layer::accepts(Steps::output(in)) && (!ragged || makes<LengthLayers>(in, 1)) &&
           (!given || makes<StateLayers>(in, Layer::state_size));
  }
  static constexpr Dims output(Dims in) { return detail::output_of<Layer>(Steps::output(in)); }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire steps = to.template child<Steps>("path", x);
    if constexpr (ragged && given) {
      const Wire length = to.template child<LengthLayers>("lengths", x);
      return Layer::add(to, OwnOps{}, steps, to.template child<StateLayers>("initial_state", x), length);
    } else if constexpr (ragged) {
      return Layer::add(to, OwnOps{}, steps, to.template child<LengthLayers>("lengths", x));
    } else {
      return Layer::add(to, OwnOps{}, steps, to.template child<StateLayers>("initial_state", x));
    }
  }

  static constexpr bool of_layer = requires { GivenLayer::state_size; };
  static constexpr bool of_branches = detail::is_chain<GivenPath> && sizeof...(GivenBranches) > 0 &&
                                      LengthFound::count <= 1 && StateFound::count <= 1 &&
                                      LengthFound::count + StateFound::count ==
                                          static_cast<int>(sizeof...(GivenBranches));
  static constexpr bool one_state = !given || !Layer::learns_state;
  static constexpr bool valid = of_layer && of_branches && one_state && Layer::valid;
  static constexpr bool check() {
    static_assert(of_layer, "sinter: a Recurrent begins with its layer: Recurrent<GRU<8>, Path<..>, Lengths<..>>");
    static_assert(of_branches,
                  "sinter: a Recurrent has a layer, a Path, and Lengths or InitialState: Recurrent<GRU<8>, "
                  "Path<Slice<1, 60>, Reshape<20, 3>>, Lengths<Slice<0, 1>>>");
    static_assert(one_state, "sinter: the state of a recurrent layer is given or learned: leave out one of the two");
    if constexpr (of_layer && !Layer::valid) return GivenLayer::check();
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::InitialState;
using internal::Lengths;
using internal::Recurrent;
}  // namespace sinter
