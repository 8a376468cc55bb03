// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <type_traits>

#include "sinter/core/isa.hpp"
#include "sinter/kernels/host/stream/stream_plan.hpp"
#include "sinter/network/can_stream.hpp"
#include "sinter/network/model_of.hpp"
#include "sinter/network/view.hpp"

SINTER_NAMESPACE_BEGIN

/// The weights of a trained network in the order in which a Stream reads them: floats, copied once from a
/// `Network<Model>` in floats on the host, or from a `View<Model, ..>` of any storage, whose numbers are converted as
/// they are in `forward`. The object contains all of its memory, stream_weights_bytes<Model>: make it static, or a
/// member. It may be used by any number of streams and threads.
template <class ModelType, class Isa = isa::Native, class Model = detail::ModelOf<ModelType>>
class StreamWeights {
  using Checked = detail::StreamableModel<Model>;
  static_assert(sizeof(detail::CheckForStream<Model>) > 0);
  using Streams = host_kernels::StreamPlan<Checked, Isa>;
  using Ops = Program<Model>;

 public:
  template <class Net>
    requires(std::is_same_v<typename Net::Model, Model>)
  explicit StreamWeights(const Net& net) {
    assign(net);
  }
  /// Takes other weights: streams that use this object continue with them. Not while one of them runs in another
  /// thread.
  template <class Net>
    requires(std::is_same_v<typename Net::Model, Model>)
  void assign(const Net& net) noexcept {
    if constexpr (requires { Net::on_host; })
      static_assert(Net::on_host,
                    "sinter: the weights of this network are in the memory of a GPU: assign it to a network on Host, "
                    "and pass that");
    if constexpr (!std::is_same_v<Checked, Model>)
      return;  // refused
    else if constexpr (requires { net.stored(); })
      copy_all(net.stored());
    else
      copy_all(net.data());
  }
  const float* data() const { return numbers_.data(); }

 private:
  template <class Source>
  void copy_all(const Source& source) {
    static_assert(!std::is_same_v<Source, const double*>,
                  "sinter: a stream computes in floats: assign the network to a Network<Model>, and pass that");
    unroll<Ops::parameter_count>([&](auto i) { copy<decltype(i)::value>(source); });
    if constexpr (Streams::Values::size > 0) Streams::Values::set_all(numbers_.data() + Streams::of_batch, source);
  }
  template <int Index, class Source>
  void copy(const Source& source) {
    constexpr auto matrix = Streams::matrices[static_cast<std::size_t>(Index)];
    const int size = Ops::parameters[static_cast<std::size_t>(Index)].size;
    float* const to = numbers_.data() + matrix.offset;
    for (int k = 0; k < size; ++k) {
      const int place = matrix.rows > 0 ? k % matrix.columns * matrix.padded() + k / matrix.columns : k;
      to[place] = number<Index>(source, k);
    }
  }
  /// Number k of a parameter, however it is stored.
  template <int Index, class Source>
  static float number(const Source& source, int k) {
    constexpr Parameter p = Ops::parameters[static_cast<std::size_t>(Index)];
    if constexpr (std::is_pointer_v<Source>) {
      return source[p.offset + k];
    } else {
      const auto weight = source.template parameter<Index>();
      using Weight = std::remove_cv_t<decltype(weight)>;
      if constexpr (std::is_same_v<Weight, host_kernels::PanelWeight>) {
        return weight.numbers[detail::StoragePlan<Model>::matrix_of(p).place(k)];
      } else if constexpr (std::is_pointer_v<Weight>) {
        return weight[k];
      } else {
        constexpr int columns = p.size / p.shape[0];
        return row_of(weight, k / columns, columns)[k % columns];
      }
    }
  }

  alignas(64) std::array<float, static_cast<std::size_t>(Streams::weights_size)> numbers_{};
};

/// The bytes of the weights as streams read them: for static_assert.
template <class ModelType, class Model = detail::ModelOf<ModelType>>
inline constexpr std::size_t stream_weights_bytes = sizeof(StreamWeights<typename detail::CheckForStream<Model>::Type>);

SINTER_NAMESPACE_END

namespace sinter {
using internal::stream_weights_bytes;
using internal::StreamWeights;
}  // namespace sinter
