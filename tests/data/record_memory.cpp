// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sinter/data/read_ahead.hpp>
#include <vector>

#include "data/temporary_folder.hpp"
#include "support/allocations.hpp"

using namespace sinter;

TEST_CASE("reading takes the memory of ahead + 1 batches, however many records there are") {
  const TemporaryFolder folder;
  const auto bytes_for = [&](std::size_t records, std::size_t ahead) {
    write_bytes(folder / "all.bin", std::vector<char>(records * 25));  // zeros: a label and six floats each
    const RecordFiles<float, Shape<6>, std::uint8_t> files({folder / "all.bin"});
    return counted::bytes_in([&] {
      for (const auto& batch : batches(files, {.batch_size = 100, .ahead = ahead})) CHECK(batch.size() == 100);
    });
  };
  const long few = bytes_for(2000, 4), many = bytes_for(40000, 4);
  CHECK(many == few);
  const long batch = 100 * (24 + 1 + 8);
  CHECK(many >= 5 * batch);
  CHECK(many < 5 * batch + 4096);
  CHECK(bytes_for(2000, 9) >= 10 * batch);
  CHECK(bytes_for(2000, static_cast<std::size_t>(-1)) == bytes_for(2000, 20));
  CHECK(bytes_for(2000, 1'000'000'000'000) < 22 * batch);
}
