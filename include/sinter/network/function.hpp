// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include "sinter/core/fixed_tensor.hpp"
#include "sinter/core/isa.hpp"
#include "sinter/data/normalize.hpp"
#include "sinter/kernels/gpu/one_row.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class Model, OpKind Kind>
inline constexpr bool has_op = [] {
  for (const Op& op : Program<Model>::ops)
    if (op.kind == Kind) return true;
  return false;
}();

/// Whether a row takes at most this many bytes; a message shows both.
template <std::size_t Bytes, std::size_t Most>
inline constexpr bool fits_a_thread = Bytes <= Most;

}  // namespace detail

/// A network as a function of one row, for the inner loop of another program: a ray marcher, a step of an ODE,
/// `thrust::transform`. It is trivially copyable, a few words that refer to the parameters of a network, which must
/// outlive it; updates of them are seen. A call runs on the calling thread, of the host or of a GPU, in memory of its
/// own stack: no allocation, no lock, no exception. Any number of threads may share one.
///
///     const auto f = net.function();          // Network<Model, Host>; in kernels: net.device_function()
///     const auto y = f(x);                    // FixedTensor [output] of a FixedTensor [input]
///     const float d = distance(px, py, pz);   // or of its numbers; one output is a number
///     const auto slope = distance.gradient({px, py, pz});
///
/// Outputs have the bits of Network::forward on Host; with batch normalisation they are equal to rounding. Layers
/// compute as in inference: Dropout keeps everything, batch normalisation uses its running statistics.
template <class ModelType, class T, class Isa, class Distinct>
class Function {
 public:
  using Model = Distinct;
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;
  using Input = FixedTensor<T, InputRow>;
  using Output = FixedTensor<T, OutputRow>;
  static constexpr int input_size = InputRow::size, output_size = OutputRow::size;

 private:
  static constexpr bool recurrent = detail::has_op<Model, OpKind::recurrence>,
                        of_batch = detail::has_op<Model, OpKind::statistics>;
  static_assert(!recurrent, "sinter: a network with RNN, GRU or LSTM has no function yet: use forward and a workspace");
  template <bool Backward>
  using Row = gpu_kernels::OneRow<Model, T, Backward, Isa>;

 public:
  /// Bytes of memory that a call uses, and how many it may use: in a kernel, every thread that the GPU can hold needs
  /// them.
  static constexpr std::size_t forward_bytes = Row<false>::bytes;
  static constexpr std::size_t most_bytes = 64 * 1024, most_device_bytes = 4 * 1024;

  /// `parameters` as Network::data() has them. x is scaled by `normalize` before the first layer.
  SINTER_HOST_DEVICE explicit Function(const T* parameters, Normalize normalize = {})
      : parameters_(parameters), scale_(normalize.scale), shift_(normalize.shift) {}
  /// Called by Network::function() and Network::device_function().
  template <class Net>
  static Function on_host(const Net& net, Normalize normalize) {
    static_assert(Net::on_host,
                  "sinter: the parameters of this network are in the memory of a GPU: take its "
                  "device_function(), or assign it to a network on Host");
    normalize.check();
    return Function(net.data(), normalize);
  }
  template <class Net>
  static Function on_device(const Net& net, Normalize normalize) {
    static_assert(!Net::on_host,
                  "sinter: the parameters of this network are in the memory of the host: take its "
                  "function(), or assign it to a Network<Model, Cuda>");
    normalize.check();
    return Function(net.data(), normalize);
  }

  /// The outputs of x, input_size numbers.
  SINTER_HOST_DEVICE Output operator()(const T* x) const {
    check_memory<forward_bytes>();
    alignas(16) std::byte memory[forward_bytes];
    Row<false> row(memory, parameters_);
    row.forward(x, scale_, shift_);
    Output y;
    row.outputs(y.values);
    return y;
  }
  SINTER_HOST_DEVICE Output operator()(const Input& x) const { return (*this)(x.values); }
  template <class... Number>
    requires(sizeof...(Number) == static_cast<std::size_t>(input_size) && (std::is_arithmetic_v<Number> && ...))
  SINTER_HOST_DEVICE Output operator()(Number... x) const {
    return (*this)(Input{{static_cast<T>(x)...}});
  }

  /// The gradient with respect to x of the sum of dy[j] times output j (a vector-Jacobian product). Takes the time of
  /// about three calls. Batch normalisation has none.
  SINTER_HOST_DEVICE Input gradient(const Input& x, const Output& dy) const {
    static_assert(!of_batch,
                  "sinter: the gradient of a network with batch normalisation is that of a batch: use "
                  "Trainer::accumulate, or GroupNorm or LayerNorm in its place");
    constexpr std::size_t bytes = Row<!of_batch>::bytes;
    check_memory<bytes>();
    alignas(16) std::byte memory[bytes];
    Row<!of_batch> row(memory, parameters_);
    row.forward(x.values, scale_, shift_);
    Input dx;
    row.backward(dy.values, dx.values);
    for (T& d : dx) d *= scale_;
    return dx;
  }
  /// The same for a single output.
  SINTER_HOST_DEVICE Input gradient(const Input& x) const
    requires(output_size == 1)
  {
    return gradient(x, Output{{T(1)}});
  }

 private:
  template <std::size_t Bytes>
  SINTER_HOST_DEVICE static void check_memory() {
#if defined(__CUDA_ARCH__)
    static_assert(detail::fits_a_thread<Bytes, most_device_bytes>,
                  "sinter: a call of this network's function in a kernel takes more memory than a thread may have, see "
                  "fits_a_thread<bytes, most>: use forward on Cuda");
#else
    static_assert(detail::fits_a_thread<Bytes, most_bytes>,
                  "sinter: a call of this network's function takes more memory than a thread may have, see "
                  "fits_a_thread<bytes, most>: use forward and a workspace");
#endif
  }

  const T* parameters_;
  T scale_, shift_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Function;
}  // namespace sinter
