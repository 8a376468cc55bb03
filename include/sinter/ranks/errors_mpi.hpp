// SPDX-License-Identifier: MIT
#pragma once

// Only the C interface: the one for C++ has been removed from the standard.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX
#endif
#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_COLD inline std::string text_of_mpi(int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, static_cast<std::size_t>(length)) + ", code " + std::to_string(code);
}
/// Fails unless a function of MPI returned success.
inline void check_mpi(int code, const char* what) {
  if (code != MPI_SUCCESS) fail("MPI could not " + std::string(what) + ": " + text_of_mpi(code));
}
/// The number of a rank in another communicator, where it has one.
SINTER_COLD inline int rank_in_mpi(MPI_Comm ranks, int rank, MPI_Comm others) {
  if (others == MPI_COMM_NULL) return rank;
  MPI_Group from = MPI_GROUP_NULL, to = MPI_GROUP_NULL;
  int number = MPI_UNDEFINED;
  MPI_Comm_group(ranks, &from);
  MPI_Comm_group(others, &to);
  MPI_Group_translate_ranks(from, 1, &rank, to, &number);
  MPI_Group_free(&from);
  MPI_Group_free(&to);
  return number == MPI_UNDEFINED ? rank : number;
}
/// Of the ranks that messages are expected from those whose has not come, or, where all have, of those that messages
/// are sent to those that have not taken theirs; by their numbers in another communicator. Requests are in that order.
SINTER_COLD inline std::vector<int> late_in_mpi(std::span<const MPI_Request> requests, std::span<const int> senders,
                                                std::span<const int> receivers, MPI_Comm ranks, MPI_Comm others) {
  std::vector<int> late;
  const auto add = [&](std::size_t first, std::span<const int> partners) {
    for (std::size_t i = 0; i < partners.size(); ++i) {
      int done = 0;
      if (first + i < requests.size()) MPI_Request_get_status(requests[first + i], &done, MPI_STATUS_IGNORE);
      if (done == 0) late.push_back(rank_in_mpi(ranks, partners[i], others));
    }
  };
  add(0, senders);
  if (late.empty()) add(senders.size(), receivers);
  return late;
}
[[noreturn]] SINTER_COLD inline void fail_late_in_mpi(const std::string& who, std::chrono::seconds limit) {
  fail("it waited for " + who + " for " + std::to_string(limit.count()) + " s; all ranks are to make the same calls");
}
[[noreturn]] SINTER_COLD inline void fail_size_in_mpi(int from, int expected, const std::string& got) {
  fail("rank " + std::to_string(from) + " was to send " + std::to_string(expected) + " bytes, and sent " + got +
       "; all ranks are to make the same calls with the same options");
}
/// A program linked with one MPI and started by the mpirun of another sees as many worlds of one process.
SINTER_COLD inline void check_alone_in_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const started = std::getenv(name);
    if (started == nullptr || std::atoi(started) < 2) continue;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(version, &length);
    const std::string text(version, static_cast<std::size_t>(length));
    fail("the launcher started " + std::string(started) + " processes (" + name +
         "), and this one is alone in its world: the program is linked with another MPI (" +
         text.substr(0, text.find_first_of(",\n")) +
         ") than the launcher's; start it by that one's mpirun, or with Slurm by srun --mpi=pmix");
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
