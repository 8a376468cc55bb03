// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <string>
#include <vector>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

/// User Level Failure Mitigation, an extension of MPI: the ranks that are left when one is killed go on. Open MPI 5 has
/// it, and turns it on by `mpirun --with-ft ulfm`. With another MPI, nothing here is called but is_on and is_loss.
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
inline void revoke(MPI_Comm ranks) { MPIX_Comm_revoke(ranks); }
/// When the request is completed, `all` is that of all ranks that are left, by AND.
inline void begin_agreement(MPI_Comm ranks, int& all, MPI_Request& request) {
  MPIX_Comm_iagree(ranks, &all, &request);
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
  return count == 0 ? text
                    : text + " of " + std::to_string(size) + (count == 1 ? " was" : " were") + " lost; the other " +
                          std::to_string(size - count) + " go on";
}

#else

inline bool is_on() { return false; }
inline bool is_loss(int) { return false; }
inline void revoke(MPI_Comm) {}
inline void begin_agreement(MPI_Comm, int&, MPI_Request&) {}
inline int shrink(MPI_Comm ranks, MPI_Comm& left) { return left = ranks, MPI_SUCCESS; }
inline std::string lost_text(MPI_Comm, MPI_Comm) { return {}; }

#endif

}  // namespace detail::ulfm

SINTER_NAMESPACE_END
