// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/plan/equal_stages.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The places that a kernel is given which stages share, the first of them S: shapes and strides are constants, offsets
/// are numbers of run time. `Memory` says where all of them are.
template <class Memory, int S, Pass pass>
struct GivenPlaces {
  using P = typename Memory::Plan;
  using Values = typename Memory::Values;

 private:
  static constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static constexpr StageReferences<Memory> references{S, pass};
  /// The number of a place among those that are given.
  static constexpr int number(Role role, int id) {
    for (int k = 0, n = 0; k < references.count; ++k) {
      if (references.at(k) == Reference{role, id}) return n;
      n += references.at(k).is_place();
    }
    return -1;
  }
  template <Role role, int N>
  static constexpr std::array<int, index(N + 1)> numbers = [] {
    std::array<int, index(N + 1)> all{};
    for (int i = 0; i < N; ++i) all[index(i)] = number(role, i);
    return all;
  }();
  template <Role role, int N>
  SINTER_INLINE std::ptrdiff_t offset_of(int i) const {
    return offset[numbers<role, N>[index(i)]];
  }

 public:
  static constexpr int count = references.place_count();
  using Offsets = std::array<int, index(count + 1)>;
  /// The offsets of stage `s`, which has the same kernel.
  static constexpr Offsets offsets(int s) {
    const StageReferences<Memory> own(s, pass);
    Offsets all{};
    for (int k = 0, n = 0; k < own.count; ++k)
      if (own.at(k).is_place()) all[index(n++)] = Memory::offset(own.at(k));
    return all;
  }

  std::ptrdiff_t offset[count + 1];  // copies: no store through a pointer changes them

  SINTER_INLINE explicit GivenPlaces(const Offsets& given) {
    unroll<count>([&](int k) SINTER_LAMBDA { offset[k] = given[index(k)]; });
  }
  SINTER_INLINE std::ptrdiff_t begin(int base) const { return base == 0 ? 0 : offset[base - 1]; }
  SINTER_INLINE std::ptrdiff_t parameter(int i) const { return offset_of<Role::parameter, P::Ops::parameter_count>(i); }
  SINTER_INLINE std::ptrdiff_t parameter_gradient(int i) const {
    return offset_of<Role::parameter_gradient, P::Ops::parameter_count>(i);
  }
  SINTER_INLINE std::ptrdiff_t packed(int i) const { return offset_of<Role::packed, 2 * P::stage_count>(i); }
  SINTER_INLINE std::ptrdiff_t of_batch(int i, typename Values::Row row) const {
    return offset_of<Role::of_batch, P::op_count>(i) + Values::at(i, row) - Values::at(i, Values::mean);
  }
  SINTER_INLINE std::ptrdiff_t partial(int i) const { return offset_of<Role::partial, P::op_count>(i); }

  static constexpr Place place(Role role, int id) {
    Place place = Memory::place({role, id});
    place.offset = 0;
    place.base = 1 + number(role, id);
    if (place.base == 0) std::abort();  // not among the references of the kernel
    return place;
  }
  static constexpr Place value(int v) { return place(Role::value, v); }
};

/// The offsets of stage S for the kernel of stage First.
template <class Memory, int First, Pass pass, int S>
inline constexpr auto offsets_of_stage = GivenPlaces<Memory, First, pass>::offsets(S);

}  // namespace host_kernels

SINTER_NAMESPACE_END
