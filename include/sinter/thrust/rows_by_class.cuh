// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/thrust/labels.cuh"
#include "sinter/thrust/sort_pairs.cuh"

#include <thrust/tabulate.h>
#include <thrust/transform.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sinter/data/split.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class Label>
struct ClassOfRow {
  const Label* labels;
  SINTER_FN std::uint32_t operator()(std::uint32_t row) const { return static_cast<std::uint32_t>(labels[row]); }
};
/// Number i of an order in which k folds follow each other: fold f has the places f, f + k, .. of `rows`.
struct DealtRow {
  const std::uint32_t* rows;
  std::uint64_t count, folds;
  SINTER_FN std::uint32_t operator()(std::uint64_t i) const {
    const std::uint64_t shorter = count / folds, longer = count % folds, in_longer = longer * (shorter + 1);
    if (i < in_longer) return rows[i / (shorter + 1) + i % (shorter + 1) * folds];
    return rows[longer + (i - in_longer) / shorter + (i - in_longer) % shorter * folds];
  }
};
/// Number i of an order in which the classes take turns; a class begins again after its last row.
struct RowOfTurn {
  const std::uint32_t *rows, *first;  // rows by class; where each class that has some begins, and the end
  std::uint32_t count;                // of such classes
  SINTER_FN std::uint32_t operator()(std::uint64_t i) const {
    const std::uint32_t turn = static_cast<std::uint32_t>(i % count), begin = first[turn];
    return rows[begin + i / count % (first[turn + 1] - begin)];
  }
};

/// The numbers of all rows class by class, each class shuffled.
template <class Label>
CudaArray<std::uint32_t> device_rows_by_class(LabelView<Label, CudaMemory> labels, int classes, std::uint64_t seed,
                                              const Cuda& cuda) {
  const std::vector<std::uint32_t> order = shuffled(labels.size(), seed);
  CudaArray<std::uint32_t> rows(cuda, order.size()), keys(cuda, order.size());
  rows.upload(order.data(), order.size());
  thrust::transform(thrust_policy(cuda), rows.data(), rows.data() + rows.size(), keys.data(),
                    ClassOfRow<Label>{labels.data});
  sort_pairs(keys, rows, static_cast<int>(std::bit_width(static_cast<unsigned>(classes))), cuda);
  return rows;
}

}  // namespace detail

/// The numbers of all rows in a random order, by the seed, in which each of k contiguous folds has its share of each
/// class, to within one row: the order of stratified_rows(data, k, seed) on the host, sorted on the GPU.
/// With subset() for k_folds() and .held_out of fit(). Fails as check_device_labels, and if k is below 1.
template <DeviceLabels Given>
CudaArray<std::uint32_t> stratified_rows(const Given& given, int classes, int k, std::uint64_t seed,
                                         const Cuda& cuda = {}) {
  if (k < 1) fail("stratified_rows was asked for " + std::to_string(k) + " folds; ask for 1 or more");
  check_device_labels(given, classes, cuda);
  const CurrentCudaDevice current(cuda.device);
  const auto rows = detail::device_rows_by_class(detail::view_of(given), classes, seed, cuda);
  CudaArray<std::uint32_t> dealt(cuda, rows.size());
  thrust::tabulate(detail::thrust_policy(cuda), dealt.data(), dealt.data() + dealt.size(),
                   detail::DealtRow{rows.data(), rows.size(), static_cast<std::uint64_t>(k)});
  return dealt;
}

/// `count` numbers of rows in an order in which the classes that have rows take turns, so that all are learned from
/// equally often: rows of rare classes are repeated, rows of frequent ones may be left out. Another seed for each epoch
/// gives other rows. Fails as check_device_labels, and without rows.
template <DeviceLabels Given>
CudaArray<std::uint32_t> balanced_rows(const Given& given, int classes, std::size_t count, std::uint64_t seed,
                                       const Cuda& cuda = {}) {
  const std::vector<std::uint32_t> counts = class_counts(given, classes, cuda);
  std::vector<std::uint32_t> first(1);  // of the classes that have rows
  for (const std::uint32_t rows : counts)
    if (rows > 0) first.push_back(first.back() + rows);
  if (first.size() == 1) fail("balanced_rows was given no rows; give it labels of those to learn from");
  const CurrentCudaDevice current(cuda.device);
  CudaArray<std::uint32_t> begins(cuda, first.size()), order(cuda, count);
  begins.upload(first.data(), first.size());
  const auto rows = detail::device_rows_by_class(detail::view_of(given), classes, seed, cuda);
  thrust::tabulate(detail::thrust_policy(cuda), order.data(), order.data() + count,
                   detail::RowOfTurn{rows.data(), begins.data(), static_cast<std::uint32_t>(first.size() - 1)});
  return order;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::balanced_rows;
using internal::stratified_rows;
}  // namespace sinter
