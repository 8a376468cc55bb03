// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/data/record_files.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void fail_record_file(const std::string& path, std::size_t bytes, std::size_t record) {
  fail(joined({path, " holds ", bytes, " bytes, expected records of ", record,
               " bytes, one or more; it is truncated or of another form: make it again, or give its RecordForm"}));
}

SINTER_FUNCTION void fail_to_read_record(const std::string& path, std::size_t record, int cause) {
  fail(joined({"record ", record, " of ", path,
               " cannot be read: ", cause != 0 ? std::strerror(cause) : "the file has become shorter",
               "; leave it as it is while it is read"}));
}

}  // namespace detail

SINTER_NAMESPACE_END
