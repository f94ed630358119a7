#include "validation/shader/numerics_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "metal/device/read_file.h"

namespace assay::validation {

namespace {

using metal::emulator::LineLoss;
using metal::emulator::OutputError;

/// Lines that lose something, with two lines of context.
std::string with_margin(const std::string& file, const std::map<std::uint32_t, LineLoss>& losses) {
  constexpr std::uint32_t context = 2;
  std::set<std::uint32_t> shown;
  for (const auto& [line, loss] : losses)
    for (std::uint32_t n = line - std::min(line, context); n <= line + context; ++n) shown.insert(n);
  const auto source = metal::read_named_lines(file).value_or(std::vector<std::string>());
  std::string text = fmt::format("\n   bits  share  {}\n", file);
  std::uint32_t number = 0, last = 0;
  for (const std::string& line : source) {
    if (!shown.contains(++number)) continue;
    if (last != 0 && number > last + 1) text += "                ...\n";
    last = number;
    const auto loss = losses.find(number);
    if (loss == losses.end())
      text += fmt::format("{:20} | {}\n", number, line);
    else
      text +=
          fmt::format("{:7.1f} {:4.0f} %{:6} | {}\n", loss->second.lost_bits, 100 * loss->second.share, number, line);
  }
  return text;
}

}  // namespace

std::string text_of(const OutputError& one) {
  return fmt::format("{} is {:.9g}, exactly {:.9g}: {:.1f} of {} bits lost", one.place, one.stored, one.exact,
                     one.lost_bits, bits_of(one.precision));
}

std::string summary_of(const metal::emulator::DispatchLosses& dispatch) {
  const std::uint64_t large = dispatch.losses.large;
  return fmt::format(
      "{} element{} lost more than half of the digits{}", large == 0 ? "no" : fmt::format("{}", large),
      large == 1 ? "" : "s",
      dispatch.is_complete ? "" : "; more operations than fit into memory: what came later counts as exact");
}

std::string numerics_text(const metal::emulator::DispatchLosses& dispatch) {
  std::string text = fmt::format("numerics of {}: {}\n", dispatch.kernel, summary_of(dispatch));
  for (const OutputError& one : dispatch.losses.worst) text += fmt::format("  {}\n", text_of(one));
  std::map<std::string, std::map<std::uint32_t, LineLoss>> files;
  for (const LineLoss& line : dispatch.losses.lines)
    if (line.is_notable()) files[line.position.file][line.position.line] = line;
  for (const auto& [file, lines] : files) text += with_margin(file, lines);
  return text;
}

}  // namespace assay::validation
