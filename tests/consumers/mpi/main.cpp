// SPDX-License-Identifier: MIT
#include <sinter/mpi.hpp>

int main(int count, char** values) {
  const sinter::Mpi world(count, values);
  return world.size() == 1 && world.rank() == 0 ? 0 : 1;
}
