#include "metal/emulator/numerics/stated_functions.h"

#include <fmt/format.h>

#include <sstream>

#include "metal/emulator/numerics/known_functions.h"

namespace assay::metal::emulator {

Result<StatedFunctions> stated_functions(std::string_view text) {
  constexpr std::string_view pragma = "#pragma assay ";
  StatedFunctions all;
  for (std::size_t at = text.find(pragma); at != std::string_view::npos; at = text.find(pragma, at + 1)) {
    const std::string_view rest = text.substr(at + pragma.size());
    const std::string line(rest.substr(0, rest.find('\n')));
    std::istringstream words(line);
    std::string name, is, what;
    words >> name >> is >> what;
    const auto known = known_function("@" + what);
    if (is != "is" || !known || known->kind != KnownFunction::Kind::operation)
      return error(
          Error::Kind::compile,
          fmt::format("#pragma assay {}: expected NAME is FUNCTION, of one argument, as in polynomial is exp", line));
    all[name] = known->operation;
  }
  return all;
}

std::optional<Operation> stated_of(const StatedFunctions& all, std::string_view mangled) {
  for (const auto& [name, operation] : all)
    if (mangled == "@" + name || mangled.find(fmt::format("{}{}", name.size(), name)) != std::string_view::npos)
      return operation;
  return std::nullopt;
}

}  // namespace assay::metal::emulator
