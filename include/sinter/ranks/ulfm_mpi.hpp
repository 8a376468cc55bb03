// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ranks/errors_mpi.hpp"
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Waits until done() is true, sharing the core with other processes. False after a time. While others use the core, a
/// turn may take milliseconds.
template <class Done>
bool wait_until(std::chrono::seconds limit, Done&& done) {
  const auto last = std::chrono::steady_clock::now() + limit;
  for (int turn = 0; turn < 100; ++turn)
    if (done()) return true;
  while (!done()) {
    std::this_thread::yield();
    if (std::chrono::steady_clock::now() > last) return done();
  }
  return true;
}

}  // namespace detail

/// User Level Failure Mitigation, an extension of MPI: the ranks that are left when one is killed go on. Open MPI 5 has
/// it, and turns it on by `mpirun --with-ft ulfm`. With another MPI, it is off, and no error is a loss.
namespace detail::ulfm {

#if defined(OMPI_HAVE_MPI_EXT_FTMPI)

inline bool is_on() {
  void* value = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, &value, &known);
  return known != 0 && value != nullptr && *static_cast<const int*>(value) != 0;
}
/// Whether an error says that a rank is lost, or that another one has found that.
inline bool is_loss(int code) {
  if (code == MPI_SUCCESS) return false;
  int kind = code;
  MPI_Error_class(code, &kind);
  return kind == MPIX_ERR_PROC_FAILED || kind == MPIX_ERR_PROC_FAILED_PENDING || kind == MPIX_ERR_REVOKED;
}
/// Makes exchanges of these ranks fail, also those that have begun.
inline void revoke(MPI_Comm ranks) { MPIX_Comm_revoke(ranks); }
inline bool is_revoked(MPI_Comm ranks) {
  int revoked = 0;
  MPIX_Comm_is_revoked(ranks, &revoked);
  return revoked != 0;
}
/// Whether a rank is lost, or another one has found that.
inline bool has_lost(MPI_Comm ranks) {
  MPI_Group lost = MPI_GROUP_NULL;
  int count = 0;
  MPIX_Comm_get_failed(ranks, &lost);
  MPI_Group_size(lost, &count);
  MPI_Group_free(&lost);
  return count > 0 || is_revoked(ranks);
}
/// What all ranks that are left give, by AND: the same on all of them. False after a time.
inline bool agree(MPI_Comm ranks, int& all, std::chrono::seconds limit) {
  auto number = std::make_unique<int>(all);
  MPI_Request request = MPI_REQUEST_NULL;
  MPIX_Comm_iagree(ranks, number.get(), &request);
  const bool in_time = wait_until(limit, [&] {
    int done = 0;
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);  // its error says again that a rank is lost
    return done != 0;
  });
  all = *number;
  if (!in_time) static_cast<void>(number.release());  // MPI may still write to it
  return in_time;
}
inline int shrink(MPI_Comm ranks, MPI_Comm& left) { return MPIX_Comm_shrink(ranks, &left); }
/// Which ranks were lost; for the first that is left, else empty.
SINTER_COLD inline std::string lost_text(MPI_Comm before, MPI_Comm left) {
  int rank = 0, size = 0, count = 0;
  MPI_Comm_rank(left, &rank);
  MPI_Comm_size(before, &size);
  if (rank != 0) return {};
  MPI_Group all = MPI_GROUP_NULL, rest = MPI_GROUP_NULL, lost = MPI_GROUP_NULL;
  MPI_Comm_group(before, &all);
  MPI_Comm_group(left, &rest);
  MPI_Group_difference(all, rest, &lost);
  MPI_Group_size(lost, &count);
  std::string text;
  for (int i = 0; i < count; ++i) {
    int number = 0;
    MPI_Group_translate_ranks(lost, 1, &i, all, &number);
    text += (i == 0 ? "rank " : ", rank ") + std::to_string(number);
  }
  for (MPI_Group* const group : {&all, &rest, &lost}) MPI_Group_free(group);
  return text + " of " + std::to_string(size) + (count == 1 ? " was" : " were") +
         " lost; ranks that go on: " + std::to_string(size - count);
}

#else

inline bool is_on() { return false; }
inline bool is_loss(int) { return false; }
inline void revoke(MPI_Comm) {}
inline bool is_revoked(MPI_Comm) { return false; }
inline bool has_lost(MPI_Comm) { return false; }
inline bool agree(MPI_Comm, int&, std::chrono::seconds) { return true; }
inline int shrink(MPI_Comm ranks, MPI_Comm& left) { return left = ranks, MPI_SUCCESS; }
inline std::string lost_text(MPI_Comm, MPI_Comm) { return {}; }

#endif

/// How the processes of a job end together where one fails. MPI_Abort does not end the others if it is on, nor do they
/// notice that a process has ended by itself.
class Job {
 public:
  enum Answer { going_on = 2, done = 1 };

  void add(MPI_Comm ranks) { all_.push_back(ranks); }
  void remove(MPI_Comm ranks) { std::erase(all_, ranks); }
  void replace(MPI_Comm ranks, MPI_Comm by) { std::replace(all_.begin(), all_.end(), ranks, by); }
  /// Whether a rank has failed, of these or of others.
  bool fails() const { return !all_.empty() && is_revoked(all_.front()); }
  /// All others know that the job ends.
  void end() { ends_ = true; }
  /// Where this process fails: the others find out in what they wait for, and answer. Then it may end.
  void leave() {
    for (const MPI_Comm ranks : all_) revoke(ranks);
    int all = 0;
    if (!ends_ && !all_.empty()) agree(all_.front(), all, std::chrono::seconds(10));
    ends_ = true;
  }

 private:
  std::vector<MPI_Comm> all_;  // the first is of all ranks
  bool ends_ = false;
};

}  // namespace detail::ulfm

SINTER_NAMESPACE_END
