// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sinter/ranks/communicator.hpp"

SINTER_NAMESPACE_BEGIN

/// A single rank, for a program that is written for ranks and runs without others.
class Solo : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::unique_ptr<SharedCounter> counter() override { return std::make_unique<Counter>(); }

 protected:
  void move(std::span<const Outgoing>, std::span<const Incoming>) override {}
  std::unique_ptr<Communicator> part(const std::vector<int>&, int, int) override { return std::make_unique<Solo>(); }

 private:
  class Counter : public SharedCounter {
   public:
    std::int64_t take(std::int64_t count) override { return std::exchange(next_, next_ + count); }

   private:
    std::int64_t next_ = 0;
  };
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Solo;
}  // namespace sinter
