// SPDX-License-Identifier: MIT
#include "support/fake_nccl/fake_nccl.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace {

/// What the ranks of one id have in common.
struct Clique {
  std::vector<int> devices;  // of each rank; -1: not there yet
  std::vector<bool> gone;    // each rank
  int joined = 0;
  bool refused = false;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> letters;  // of (from, to)
};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  long ids = 0;
  std::map<long, std::shared_ptr<Clique>> cliques;
  std::map<std::string, std::pair<ncclResult_t, int>> injections;
  sinter_test::fake_nccl::Counters counters;
};
State& state() {
  static State only;
  return only;
}

constexpr std::chrono::seconds limit{20};

}  // namespace

struct ncclComm {
  std::shared_ptr<Clique> clique;
  int rank, device;
};

namespace {

struct Piece {
  ncclComm_t comm;
  bool out;
  void* memory;
  std::size_t size;
  int peer;
  cudaStream_t stream;
};
struct Group {
  int depth = 0;
  std::vector<Piece> pieces;
};
thread_local Group group;
thread_local std::string last_error;

ncclResult_t refuse(ncclResult_t code, const char* why) {
  last_error = why;
  return code;
}
/// Whether this call is to fail. The mutex is held.
ncclResult_t injected(const char* function) {
  const auto it = state().injections.find(function);
  if (it == state().injections.end() || it->second.second-- > 0) return ncclSuccess;
  const ncclResult_t code = it->second.first;
  state().injections.erase(it);
  return refuse(code, "the test wanted it");
}

ncclResult_t add(bool out, void* memory, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                 cudaStream_t stream) {
  const std::lock_guard lock(state().mutex);
  if (const ncclResult_t code = injected(out ? "ncclSend" : "ncclRecv"); code != ncclSuccess) return code;
  if (group.depth == 0) return refuse(ncclInvalidUsage, "outside of a group");
  if (type != ncclUint8 || count == 0 || memory == nullptr) return refuse(ncclInvalidArgument, "no bytes");
  if (peer == comm->rank || peer < 0 || peer >= static_cast<int>(comm->clique->devices.size()))
    return refuse(ncclInvalidArgument, "no such peer");
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != comm->device)
    return refuse(ncclInvalidUsage, "another device is current");
  group.pieces.push_back({comm, out, memory, count, peer, stream});
  return ncclSuccess;
}

ncclResult_t send(const Piece& piece) {
  std::vector<std::byte> letter(piece.size);
  if (cudaMemcpyAsync(letter.data(), piece.memory, piece.size, cudaMemcpyDeviceToHost, piece.stream) != cudaSuccess)
    return refuse(ncclUnhandledCudaError, "what is sent is no memory of the stream's device");
  const std::lock_guard lock(state().mutex);
  piece.comm->clique->letters[{piece.comm->rank, piece.peer}].push_back(std::move(letter));
  ++state().counters.sends;
  state().counters.bytes += piece.size;
  state().changed.notify_all();
  return ncclSuccess;
}
ncclResult_t receive(const Piece& piece) {
  std::vector<std::byte> letter;
  {
    std::unique_lock lock(state().mutex);
    auto& letters = piece.comm->clique->letters[{piece.peer, piece.comm->rank}];
    Clique& clique = *piece.comm->clique;
    const auto arrived = [&] { return !letters.empty() || clique.gone[static_cast<std::size_t>(piece.peer)]; };
    if (!state().changed.wait_for(lock, limit, arrived) || letters.empty())
      return refuse(ncclRemoteError, "nothing was sent");
    letter = std::move(letters.front());
    letters.pop_front();
    ++state().counters.receives;
  }
  if (letter.size() != piece.size) return refuse(ncclInvalidUsage, "another size was sent");
  if (cudaMemcpyAsync(piece.memory, letter.data(), piece.size, cudaMemcpyHostToDevice, piece.stream) != cudaSuccess)
    return refuse(ncclUnhandledCudaError, "what is received is no memory of the stream's device");
  return ncclSuccess;
}

void leave(ncclComm_t comm) {
  State& all = state();
  std::vector<bool>& gone = comm->clique->gone;
  gone[static_cast<std::size_t>(comm->rank)] = true;
  if (std::find(gone.begin(), gone.end(), false) == gone.end())
    for (const auto& [ranks, letters] : comm->clique->letters)
      all.counters.unanswered += static_cast<long>(letters.size());
  --all.counters.live_communicators;
  all.changed.notify_all();
  delete comm;
}

}  // namespace

namespace sinter_test::fake_nccl {

Counters counters() {
  const std::lock_guard lock(state().mutex);
  return state().counters;
}
void reset() {
  const std::lock_guard lock(state().mutex);
  state().cliques.clear();
  state().injections.clear();
  state().counters = {};
}
void fail_next(const std::string& function, ncclResult_t code, int after_calls) {
  const std::lock_guard lock(state().mutex);
  state().injections[function] = {code, after_calls};
}

}  // namespace sinter_test::fake_nccl

const char* ncclGetErrorString(ncclResult_t code) {
  return code == ncclSuccess ? "no error" : code == ncclInvalidUsage ? "invalid usage" : "an error";
}
const char* ncclGetLastError(ncclComm_t) { return last_error.c_str(); }

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const std::lock_guard lock(state().mutex);
  if (const ncclResult_t code = injected(__func__); code != ncclSuccess) return code;
  const long number = ++state().ids;
  std::memcpy(id->internal, &number, sizeof number);
  state().cliques[number] = std::make_shared<Clique>();
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank) {
  std::unique_lock lock(state().mutex);
  if (const ncclResult_t code = injected(__func__); code != ncclSuccess) return code;
  long number = 0;
  std::memcpy(&number, id.internal, sizeof number);
  const auto known = state().cliques.find(number);
  if (known == state().cliques.end()) return refuse(ncclInvalidArgument, "no such id");
  const std::shared_ptr<Clique> clique = known->second;
  clique->devices.resize(static_cast<std::size_t>(ranks), -1);
  clique->gone.resize(static_cast<std::size_t>(ranks));
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess) return ncclUnhandledCudaError;
  for (const int other : clique->devices) clique->refused |= other == device;
  clique->devices[static_cast<std::size_t>(rank)] = device;
  ++clique->joined;
  state().changed.notify_all();
  if (!state().changed.wait_for(lock, limit, [&] { return clique->joined == ranks; }))
    return refuse(ncclRemoteError, "a rank did not come");
  if (clique->refused) return refuse(ncclInvalidUsage, "Duplicate GPU detected");
  *comm = new ncclComm{clique, rank, device};
  ++state().counters.live_communicators;
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const std::lock_guard lock(state().mutex);
  leave(comm);
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const std::lock_guard lock(state().mutex);
  ++state().counters.aborted;
  leave(comm);
  return ncclSuccess;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t* code) {
  const std::lock_guard lock(state().mutex);
  *code = injected("an asynchronous error");
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++group.depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (group.depth == 0) return refuse(ncclInvalidUsage, "no group was begun");
  if (--group.depth > 0) return ncclSuccess;
  const std::vector<Piece> pieces = std::exchange(group.pieces, {});
  {
    const std::lock_guard lock(state().mutex);
    if (const ncclResult_t code = injected(__func__); code != ncclSuccess) return code;
    ++state().counters.groups;
  }
  for (const Piece& piece : pieces)
    if (piece.out)
      if (const ncclResult_t code = send(piece); code != ncclSuccess) return code;
  for (const Piece& piece : pieces)
    if (!piece.out)
      if (const ncclResult_t code = receive(piece); code != ncclSuccess) return code;
  return ncclSuccess;
}
ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return add(true, const_cast<void*>(from), count, type, peer, comm, stream);
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  return add(false, to, count, type, peer, comm, stream);
}
