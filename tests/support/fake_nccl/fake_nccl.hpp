// SPDX-License-Identifier: MIT
#pragma once

#include <nccl.h>

#include <cstddef>
#include <string>

/// NCCL without a GPU, for ranks that are threads of one process: fake_nccl.cpp is linked in place of the library,
/// beside the fake CUDA runtime, which checks that memory and stream are of the same device. It is strict: two ranks on
/// one device, sends and receives outside of a group, to oneself, of other sizes than what arrives, and those that
/// nobody answers are errors. What is sent is copied when its group ends.
namespace sinter_test::fake_nccl {

struct Counters {
  long groups = 0, sends = 0, receives = 0;
  std::size_t bytes = 0;
  long live_communicators = 0, aborted = 0;
  long unanswered = 0;  // pieces that were sent and not received, when the last rank of their communicator left
};
Counters counters();
/// No communicators, no errors.
void reset();
/// `function` fails once with `code`, after this many successful calls.
void fail_next(const std::string& function, ncclResult_t code, int after_calls = 0);

}  // namespace sinter_test::fake_nccl
