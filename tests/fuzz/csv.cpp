// SPDX-License-Identifier: MIT
// libFuzzer target: any bytes are either a table whose rows are all as wide as its names, or refused.
#include <cstdlib>
#include <sinter/data/csv.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const bool header : {true, false}) try {
      const sinter::CsvTable table = sinter::parse_csv({reinterpret_cast<const char*>(data), size}, {.header = header});
      std::size_t characters = 0;
      for (const std::string& column : table.columns()) {
        try {
          for (std::size_t row = 0; row < table.rows(); ++row) characters += table.field(row, column).size();
          if (table.classes(column).labels.size() != table.rows()) std::abort();
          const auto rows = table.numbers({column});
          for (const float x : rows.values())
            if (!(x - x == 0)) std::abort();
        } catch (const sinter::Error&) {
        }
      }
      if (table.rows() == 0 || characters > size) std::abort();
    } catch (const sinter::Error&) {
    }
  return 0;
}
