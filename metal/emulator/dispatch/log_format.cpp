#include "metal/emulator/dispatch/log_format.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <algorithm>
#include <string_view>

namespace assay::metal::emulator {

namespace {

/// %5.2v4hlf: the flags, width and precision, and the conversion.
struct Conversion {
  std::string flags;
  char kind = 0;
};

/// Reads what follows a % from `at` on, and moves `at` behind it.
Conversion read_conversion(std::string_view format, std::size_t& at) {
  Conversion conversion;
  const auto is_at = [&](std::string_view any) {
    return at < format.size() && any.find(format[at]) != std::string_view::npos;
  };
  while (is_at("-+ #0123456789.")) conversion.flags += format[at++];
  if (is_at("v")) at += 2;
  while (is_at("hl")) ++at;
  if (at < format.size()) conversion.kind = format[at++];
  return conversion;
}

std::string component(const Conversion& conversion, const abi::LogValue& value, unsigned n) {
  const std::string as = "%" + conversion.flags + conversion.kind;
  const auto goes_with = [&](std::string_view kinds) { return kinds.find(conversion.kind) != std::string_view::npos; };
  if (value.kind == abi::LogKind::text)
    return goes_with("s") ? fmt::sprintf(as, value.text ? value.text : "(null)") : "<?>";
  if (value.kind == abi::LogKind::floating) return goes_with("fFeEgGaA") ? fmt::sprintf(as, value.numbers[n]) : "<?>";
  if (goes_with("dic")) return fmt::sprintf(as, static_cast<long long>(value.integers[n]));
  const auto bits = static_cast<unsigned long long>(value.integers[n]);
  if (goes_with("p")) return fmt::sprintf("0x%llx", bits);
  const unsigned unused = 64 - 8 * std::clamp(value.bytes, 1U, 8U);
  return goes_with("uoxX") ? fmt::sprintf(as, bits << unused >> unused) : "<?>";
}

}  // namespace

std::string log_text(const std::string& format, std::span<const abi::LogValue> values) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    ++at;
    if (at < format.size() && format[at] == '%') {
      text += format[at++];
      continue;
    }
    const Conversion conversion = read_conversion(format, at);
    if (next == values.size()) {
      text += "<no value>";
      continue;
    }
    const abi::LogValue& value = values[next++];
    for (unsigned n = 0; n < std::min(value.components, 4U); ++n)
      text += (n == 0 ? "" : ",") + component(conversion, value, n);
  }
  return text;
}

}  // namespace assay::metal::emulator
