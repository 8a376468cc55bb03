// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>

#include "sinter/ranks/communicator.hpp"
#include "sinter/ranks/errors_mpi.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Numbers in the memory of rank 0 of the given communicator, to which all ranks add remotely: those of all counters,
/// including those of parts. Open MPI 4 names the memory of a window by the number of its communicator, and the parts
/// of a split have the same: two windows of theirs at once would be one.
class NumbersOfMpi {
 public:
  static constexpr std::int64_t count = 4096;

  NumbersOfMpi(MPI_Comm ranks, int rank) {
    const MPI_Aint bytes = rank == 0 ? count * sizeof(std::int64_t) : 0;
    std::int64_t* numbers = nullptr;
    check_mpi(MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, ranks, &numbers, &window_),
              "make a counter");
    MPI_Win_set_errhandler(window_, MPI_ERRORS_RETURN);
    check_mpi(MPI_Win_lock_all(0, window_), "open a counter");
    if (rank == 0) std::fill_n(numbers, count, 0);
    MPI_Win_sync(window_);
    check_mpi(MPI_Barrier(ranks), "wait for a counter");
  }
  NumbersOfMpi(const NumbersOfMpi&) = delete;
  NumbersOfMpi& operator=(const NumbersOfMpi&) = delete;
  ~NumbersOfMpi() {
    if (std::uncaught_exceptions() > exceptions_) return;  // all ranks would have to come here
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  /// Returns what it was before.
  std::int64_t change(MPI_Op how, std::int64_t place, std::int64_t by) {
    std::int64_t before = 0;
    check_mpi(MPI_Fetch_and_op(&by, &before, MPI_INT64_T, 0, place, how, window_), "ask a counter");
    check_mpi(MPI_Win_flush(0, window_), "wait for a counter");
    return before;
  }

 private:
  const int exceptions_ = std::uncaught_exceptions();
  MPI_Win window_ = MPI_WIN_NULL;
};
/// One of these numbers. It is reused when as many other counters have been made as there are numbers.
class CounterOfMpi : public SharedCounter {
 public:
  CounterOfMpi(NumbersOfMpi& numbers, std::int64_t place) : numbers_(numbers), place_(place) {}
  std::int64_t take(std::int64_t count) override { return numbers_.change(MPI_SUM, place_, count); }

 private:
  NumbersOfMpi& numbers_;
  const std::int64_t place_;
};

}  // namespace detail

SINTER_NAMESPACE_END
