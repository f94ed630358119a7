// Refuses an argument or a file by an exception with its message.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace assay::validation {

template <class... Parts>
[[noreturn]] void refuse(fmt::format_string<Parts...> format, Parts&&... parts) {
  throw std::invalid_argument(fmt::format(format, std::forward<Parts>(parts)...));
}

}  // namespace assay::validation
