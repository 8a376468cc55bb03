// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What a fused kernel begins with.
enum class Source : unsigned char {
  matmul,           // a product with the whole sample
  convolution,      // a product with windows
  transposed,       // the adjoint of one
  pool,             // a pool that cannot ride
  concat,           // several values in one
  elementwise,      // a function of two values
  index_map,        // numbers of a value by their positions
  statistics,       // of the batch; in training alone
  normalize,        // by such a value; in inference it rides
  group_normalize,  // by statistics of the sample
  lookup,           // rows of a table
  recurrence,       // a cell, step by step
  matrix_product,   // two values, matrix by matrix
  row,              // a function of the whole sample; nothing rides on it
  map               // nothing: riders alone, on a stored value
};

/// Where the host makes the gradients of a stage's parameters: in a kernel of their own, or in that of the input's. On
/// all devices, `none` means that it has none.
enum class ParameterGradients : unsigned char { none, apart, with_input };

/// What plans ask about a source. A case in kind_of() names what holds for it.
struct StageKind {
  bool reads_input_again = false;   // in the backward pass; of several, all
  bool reads_output_again = false;  // in the backward pass
  bool several_inputs = false;      // and a gradient for each
  bool reads_rows = false;          // an input without a border, as one row
  ParameterGradients parameter_gradients = ParameterGradients::none;
  bool shares_kernel = false;   // with equal stages: StageReferences lists all that it refers to
  bool can_be_layered = false;  // in the plan `layer`: no product with windows, and little memory for each tile
};

constexpr StageKind kind_of(Source source) {
  using enum ParameterGradients;
  switch (source) {
    case Source::matmul:
      return {.reads_input_again = true,
              .reads_rows = true,
              .parameter_gradients = apart,
              .shares_kernel = true,
              .can_be_layered = true};
    case Source::convolution:
    case Source::transposed:
      return {.reads_input_again = true, .parameter_gradients = apart, .shares_kernel = true};
    case Source::pool:
    case Source::index_map:
    case Source::map:
      return {.shares_kernel = true, .can_be_layered = true};
    case Source::concat:
      return {.several_inputs = true, .shares_kernel = true, .can_be_layered = true};
    case Source::elementwise:
    case Source::matrix_product:
      return {.reads_input_again = true, .several_inputs = true, .shares_kernel = true, .can_be_layered = true};
    case Source::statistics:
      return {.reads_input_again = true, .shares_kernel = true, .can_be_layered = true};
    case Source::normalize:
    case Source::group_normalize:
      return {
          .reads_input_again = true, .parameter_gradients = with_input, .shares_kernel = true, .can_be_layered = true};
    case Source::lookup:
      return {.reads_input_again = true, .parameter_gradients = apart, .can_be_layered = true};
    case Source::recurrence:
      return {.reads_input_again = true, .several_inputs = true, .reads_rows = true, .parameter_gradients = with_input};
    case Source::row:
      return {.reads_output_again = true, .reads_rows = true, .shares_kernel = true, .can_be_layered = true};
  }
  return {};
}

SINTER_NAMESPACE_END
