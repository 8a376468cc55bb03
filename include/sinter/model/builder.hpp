// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "sinter/layers/layer.hpp"
#include "sinter/ops/hash.hpp"
#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// A value on its way through a model, and the shape that the next layer sees: Flatten changes only the shape.
struct Wire {
  int value = 0;
  Dims dims{};
};

/// Records the graph of a model. A layer is built by its own `build(builder, wire)`, or else as the chain of its `Ops`.
/// It walks the model twice: without arrays it counts, and then it fills arrays of exactly that size.
class Builder {
 public:
  /// A value of a network: its shape, the op that makes it (-1: it is the input), and its readers. Reads are numbered
  /// through the network, value by value and in the order of the ops: a value has reads
  /// [first_read, first_read + read_count).
  struct Value {
    Dims dims{};
    int producer = -1;
    bool of_batch = false;  // statistics: one for all rows
    int first_read = 0, read_count = 0;
  };
  /// A parameter or buffer of a Shared in another place than the first: its name there.
  struct Again {
    std::string_view name;
    int number = 0;
    bool is_buffer = false;
    int name_begin = 0, name_size = 0;
  };
  struct Counts {
    int ops = 0, values = 1, reads = 0, parameters = 0, buffers = 0, again = 0, characters = 0, layers = 0, shared = 0;
  };
  static constexpr int most_shared = 32;
  static constexpr int most_numbers = 0x7fffffff;
  struct Arrays {
    Op* ops = nullptr;
    Value* values = nullptr;
    Parameter *parameters = nullptr, *buffers = nullptr;
    Again* again = nullptr;
    char* characters = nullptr;  // of the names of all of them
    Dims* layer_outputs = nullptr;
  };

  constexpr Builder() = default;
  constexpr explicit Builder(Arrays arrays) : to_(arrays) {}
  /// Adds all that it records to a hash.
  constexpr explicit Builder(detail::GraphHash* hash) : hash_(hash) {}
  constexpr const Counts& counts() const { return counts_; }
  /// The length of the arena of parameters, gaps for alignment included, and that of the buffers.
  constexpr int arena_size() const { return arena_; }
  constexpr int buffers_size() const { return buffers_; }
  /// The first layer in which a Shared would have weights of other shapes than in its first place; -1 without one.
  constexpr int misfit() const { return misfit_; }
  /// The first layer that takes an input of other Inputs than the network's, or not from their row; -1 without one.
  constexpr int mistaken() const { return mistaken_; }
  /// The first layer with which there are more numbers than an int counts, and how many up to there; -1 without one.
  constexpr int too_large() const { return too_large_; }
  constexpr long long numbers() const { return static_cast<long long>(numbers_); }

  /// The input of the network, an Input or Inputs.
  template <class Type>
  constexpr Wire input() {
    input_ = &identity<Type>;
    if (to_.values) to_.values[0].dims = Type::Shape::dims;
    return {0, Type::Shape::dims};
  }
  /// Records a layer that takes x for a row of other Inputs than it is.
  template <class Type>
  constexpr void expect_row_of(Wire x) {
    if (mistaken_ < 0 && (x.value != 0 || input_ != &identity<Type>)) mistaken_ = counts_.layers;
  }

  /// Layer number `counts().layers` of the network.
  template <class L>
  constexpr Wire layer(Wire x) {
    part_ = 0;
    const int before = add_name(counts_.layers);
    x = child<L>(x);
    path_size_ = before;
    if (to_.layer_outputs) to_.layer_outputs[counts_.layers] = x.dims;
    ++counts_.layers;
    return x;
  }
  /// A layer inside another one.
  template <class L>
  constexpr Wire child(Wire x) {
    if constexpr (requires { typename L::SharedLayers; })
      return shared<L>(x);
    else if constexpr (requires { L::build(*this, x); })
      return L::build(*this, x);
    else
      return chain<L>(x, typename L::Ops{});
  }
  template <class L>
  constexpr Wire child(std::string_view name, Wire x) {
    const int before = add_name(name);
    x = child<L>(x);
    path_size_ = before;
    return x;
  }
  template <class L>
  constexpr Wire child(int number, Wire x) {
    const int before = add_name(number);
    x = child<L>(x);
    path_size_ = before;
    return x;
  }

  /// The op `O` of some values.
  template <class O, class... Others>
  constexpr Wire op(Wire x, Others... others) {
    static_assert(1 + sizeof...(Others) <= Op::most_inputs, "sinter: an op reads at most Op::most_inputs values");
    Op op = O::describe(x.dims, others.dims...);
    note_size(op.out);
    if (op.kind == OpKind::product || op.kind == OpKind::pool) note_size(op.window.padded(op.in));
    op.layer = counts_.layers;
    op.part = part_++;
    op.input_count = 0;
    for (const Wire& read : {x, others...}) op.inputs[op.input_count++] = read.value;
    op.output = counts_.values++;
    current_ = &op;
    if constexpr (requires { O::declare(op, *this); }) O::declare(op, *this);
    if (to_.ops) to_.ops[counts_.ops] = op;
    if (hash_) add_to_hash<O>(op);
    if (to_.values) to_.values[op.output] = {op.out, counts_.ops, op.kind == OpKind::statistics, 0, 0};
    counts_.reads += op.input_count;
    ++counts_.ops;
    return {op.output, op.out};
  }

  /// A parameter of the op that is being built, by its own name. Returns its number.
  constexpr int parameter(Parameter p) {
    note_shape(p);
    if (again_) return add_again(p, again_->parameter++, false);
    place(p, arena_);
    if (to_.parameters) to_.parameters[counts_.parameters] = p;
    return counts_.parameters++;
  }
  /// The same of a tensor that is not trained. Its offset counts from the first buffer.
  constexpr int buffer(Parameter p) {
    note_shape(p);
    if (again_) return add_again(p, again_->buffer++, true);
    place(p, buffers_);
    if (to_.buffers) to_.buffers[counts_.buffers] = p;
    return counts_.buffers++;
  }

 private:
  /// The first parameters and buffers of a Shared, and how many it has with those that are shared inside of it.
  struct SharedSet {
    const void* type = nullptr;
    int parameter = 0, buffer = 0, parameter_count = 0, buffer_count = 0;
    unsigned long long shapes = 0;
  };
  template <class L>
  static constexpr char identity{};

  template <class O>
  constexpr void add_to_hash(const Op& op) {
    hash_->add(op);
    if constexpr (requires { typename O::Functor; }) hash_->template add_functor<typename O::Functor>();
    if constexpr (requires { typename O::Indices; }) hash_->add(O::Indices::indices(op.in));
  }

  /// The first place of a Shared declares its parameters, the others take them in the same order.
  template <class L>
  constexpr Wire shared(Wire x) {
    int n = 0;
    while (n < counts_.shared && n < most_shared && sets_[n].type != &identity<L>) ++n;
    if (n == most_shared) {
      counts_.shared = most_shared + 1;
      return child<typename L::SharedLayers>(x);
    }
    const bool first = n == counts_.shared;
    if (first) sets_[counts_.shared++] = {&identity<L>, counts_.parameters, counts_.buffers};
    SharedSet next = sets_[n];
    SharedSet* const around = again_;
    const unsigned long long before = shapes_;
    shapes_ = 0;
    if (!first) again_ = &next;
    x = child<typename L::SharedLayers>(x);
    again_ = around;
    if (first) {
      sets_[n].parameter_count = counts_.parameters - next.parameter;
      sets_[n].buffer_count = counts_.buffers - next.buffer;
      sets_[n].shapes = shapes_;
    } else if (misfit_ < 0 && sets_[n].shapes != shapes_) {
      misfit_ = counts_.layers;
    }
    shapes_ ^= before;
    // Skips what was first declared inside of another Shared.
    if (again_ && again_->parameter == sets_[n].parameter) again_->parameter += sets_[n].parameter_count;
    if (again_ && again_->buffer == sets_[n].buffer) again_->buffer += sets_[n].buffer_count;
    return x;
  }
  /// A hash of shapes in their order (FNV-1a).
  constexpr void note_shape(const Parameter& p) {
    for (const int size : p.shape) shapes_ = (shapes_ ^ static_cast<unsigned>(size)) * 1099511628211ull;
    if (!hash_) return;
    hash_->add(std::string_view(path_, static_cast<std::size_t>(path_size_)));
    hash_->add(p.name);
    for (std::size_t i = 0; i < p.shape.size(); i += 2) hash_->add(p.shape[i], p.shape[i + 1]);
    hash_->add(static_cast<int>(p.start), p.draw);
    hash_->add(p.fan_in, p.fan_out);
    hash_->add(p.fan_in_of_pytorch, p.is_bias ? 1 : 0);
  }
  constexpr void place(Parameter& p, int& end) {
    p.op = counts_.ops;
    p.layer = counts_.layers;
    p.stream = current_->stream() + (p.draw << 24);
    p.offset = end;
    p.size = counted(p);
    end += round_up(p.size, parameter_alignment);
    keep_name(p.name, p.name_begin, p.name_size);
    p.name = {};
  }
  constexpr int add_again(const Parameter& p, int number, bool is_buffer) {
    Again again{{}, number, is_buffer};
    keep_name(p.name, again.name_begin, again.name_size);
    if (to_.again) to_.again[counts_.again] = again;
    ++counts_.again;
    return number;
  }
  /// The path of names to here, followed by `name`.
  constexpr void keep_name(std::string_view name, int& begin, int& size) {
    const int before = add_name(name);
    begin = counts_.characters;
    size = path_size_;
    if (to_.characters)
      for (int i = 0; i < path_size_; ++i) to_.characters[counts_.characters + i] = path_[i];
    counts_.characters += path_size_;
    path_size_ = before;
  }
  /// Records a value of a sample that has too many numbers: of all pairs of steps, or with its padding.
  constexpr void note_size(Dims dims) {
    const double size = 1.0 * dims.channels * dims.height * dims.width;
    if (too_large_ >= 0 || size <= most_numbers) return;
    numbers_ += size < 1e18 ? size : 1e18;
    too_large_ = counts_.layers;
  }
  /// How many numbers a tensor has; 0 from where they are too many.
  constexpr int counted(const Parameter& p) {
    double size = 1;
    for (int i = 0; i < p.rank; ++i) size *= p.shape[static_cast<std::size_t>(i)];
    if (too_large_ >= 0) return 0;
    numbers_ += size < 1e18 ? size : 1e18;
    aligned_ += size + parameter_alignment;
    if (aligned_ <= most_numbers) return static_cast<int>(size);
    too_large_ = counts_.layers;
    return 0;
  }
  /// A chain of ops. The parameters of several products are distinguished by their number: "0.0.weight", "0.1.weight".
  template <class L, class... O>
  constexpr Wire chain(Wire x, OpList<O...>) {
    [[maybe_unused]] constexpr int owners = (0 + ... + (declares<O> ? 1 : 0));
    [[maybe_unused]] int owner = 0;
    [[maybe_unused]] const auto add = [&]<class One>(OpList<One>) {
      const int before = path_size_;
      if (owners > 1 && declares<One>) add_name(owner++);
      x = op<One>(x);
      path_size_ = before;
    };
    (add(OpList<O>{}), ...);
    if constexpr (requires { L::output(x.dims); }) x.dims = L::output(x.dims);
    return x;
  }
  template <class O>
  static constexpr bool declares = requires(Op op, Builder to) { O::declare(op, to); };

  /// Both return the size of the path before.
  constexpr int add_name(std::string_view name) {
    const int before = path_size_;
    if (before > 0) path_[path_size_++] = '.';
    for (const char c : name) path_[path_size_++] = c;
    return before;
  }
  constexpr int add_name(int number) {
    char digits[10]{};
    int first = 10;
    do digits[--first] = static_cast<char>('0' + number % 10);
    while ((number /= 10) != 0);
    return add_name({digits + first, static_cast<std::size_t>(10 - first)});
  }

  Arrays to_{};
  detail::GraphHash* hash_ = nullptr;
  Counts counts_{};
  int arena_ = 0, buffers_ = 0, part_ = 0, misfit_ = -1, too_large_ = -1, mistaken_ = -1;
  const void* input_ = nullptr;
  double numbers_ = 0, aligned_ = 0;  // exact far beyond the range of int
  unsigned long long shapes_ = 0;
  SharedSet sets_[most_shared]{};
  SharedSet* again_ = nullptr;  // of a Shared that is not in its first place: the next ones
  const Op* current_ = nullptr;
  char path_[256]{};
  int path_size_ = 0;
};

SINTER_NAMESPACE_END
