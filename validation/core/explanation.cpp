#include "validation/core/explanation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "metal/device/read_file.h"
#include "metal/emulator/emulator_device.h"
#include "validation/core/kernel_unavailable.h"

namespace assay::validation {
namespace {

using metal::emulator::Check;
using metal::emulator::DispatchLosses;
using metal::emulator::LineLoss;
using metal::emulator::Report;
using metal::emulator::SourcePosition;

std::string short_place(const SourcePosition& position) {
  if (position.line == 0) return {};
  return fmt::format("{}:{}", std::filesystem::path(position.file).filename().string(), position.line);
}

std::string line_of_source(const SourcePosition& position) {
  const auto lines = metal::read_named_lines(position.file).value_or(std::vector<std::string>());
  if (position.line == 0 || position.line > lines.size()) return {};
  const std::string& line = lines[position.line - 1];
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

/// As in the terminal output of --numerics: the line's share of the error, and the bits that its worst operation lost.
std::string loss_text(const LineLoss& loss) {
  return fmt::format("    {:3.0f} % {:5.1f} bits  {}  {}\n", 100 * loss.share, loss.lost_bits,
                     short_place(loss.position), line_of_source(loss.position));
}

double max_lost_bits(const DispatchLosses& dispatch) {
  double most = 0;
  for (const auto& one : dispatch.losses.worst) most = std::max(most, one.lost_bits);
  return most;
}

std::string not_instrumented_text(const std::string& library) {
  return fmt::format(
      "    {} was not compiled for it: put `assay instrument` before clang's command line (docs/numerics.md)\n",
      library);
}

/// By file and line. A source that cannot be read is left out.
using Marks = std::map<std::string, std::map<std::uint32_t, LineMark>>;

std::vector<MarkedSource> sources_with(const Marks& files) {
  std::vector<MarkedSource> sources;
  for (const auto& [file, marks] : files) {
    const auto lines = metal::read_named_lines(file);
    if (!lines) continue;
    sources.push_back({std::filesystem::path(file).filename().string(), *lines, {}});
    for (const auto& [line, mark] : marks) sources.back().marks.push_back(mark);
  }
  return sources;
}

Marks marks_of(const metal::emulator::Losses& losses) {
  Marks marks;
  for (const LineLoss& loss : losses.lines)
    if (loss.is_notable())
      marks[loss.position.file][loss.position.line] = {loss.position.line, loss.share, loss.lost_bits};
  return marks;
}

Marks marks_of(const Report& report) {
  Marks marks;
  for (const auto* event : {&report.event, report.other ? &*report.other : nullptr})
    if (event != nullptr && event->position.line != 0) {
      LineMark& mark = marks[event->position.file][event->position.line];
      mark.line = event->position.line;
      mark.note += (mark.note.empty() ? "" : "; ") + event->action;
    }
  return marks;
}

Why of_origin(const Report& report) {
  std::istringstream lines(to_string(report));
  std::string text;
  for (std::string line; std::getline(lines, line);) text += fmt::format("    {}\n", line);
  return {short_place(report.event.position), text, sources_with(marks_of(report))};
}

Why of_losses(const DispatchLosses& dispatch) {
  constexpr std::size_t max_lines = 3;
  constexpr double min_share = 0.05;
  const auto& losses = dispatch.losses;
  const auto worst = std::ranges::max_element(losses.worst, {}, &metal::emulator::OutputError::lost_bits);
  Why why{short_place(losses.lines[0].position),
          fmt::format("    kernel {}: {} is {:.9g}, exactly {:.9g}: {:.1f} of {} bits lost\n", dispatch.kernel,
                      worst->place, worst->stored, worst->exact, worst->lost_bits, bits_of(worst->precision)),
          sources_with(marks_of(losses))};
  for (std::size_t n = 0; n < std::min(max_lines, losses.lines.size()); ++n)
    if (losses.lines[n].share >= min_share) why.text += loss_text(losses.lines[n]);
  return why;
}

}  // namespace

void Explanation::take(metal::Device& device) {
  const auto* const emulated = dynamic_cast<metal::emulator::EmulatorDevice*>(&device);
  if (emulated == nullptr || !emulated->options().with_numerics) return;
  for (const auto& found : {emulated->reports(), emulated->warnings()})
    std::ranges::copy_if(found, std::back_inserter(reports_),
                         [](const Report& one) { return one.check == Check::numcheck; });
  const auto losses = emulated->losses();
  std::size_t& taken = taken_[&device];
  losses_.insert(losses_.end(), losses.begin() + static_cast<std::ptrdiff_t>(taken), losses.end());
  taken = losses.size();
}

void Explanation::take(const std::vector<Report>& reports, const DispatchLosses& losses) {
  reports_.insert(reports_.end(), reports.begin(), reports.end());
  losses_.push_back(losses);
}

Why Explanation::why() const {
  if (!not_instrumented_.empty()) return {"", not_instrumented_text(not_instrumented_)};
  const auto origin = std::ranges::find(reports_, false, &Report::is_warning);
  if (origin != reports_.end()) return of_origin(*origin);
  const DispatchLosses* const most = worst();
  if (most == nullptr) return {};
  if (most->losses.lines.empty() || most->losses.worst.empty())
    return {"", "    no operation made a NaN, an infinity or an error\n"};
  return of_losses(*most);
}

const DispatchLosses* Explanation::worst() const {
  const auto most = std::ranges::max_element(losses_, {}, max_lost_bits);
  return most == losses_.end() ? nullptr : &*most;
}

Why why_of(const GateSubject& subject, std::size_t property, const AnyCase& c) {
  Explanation explanation;
  const auto other = subject.fresh();
  if (!other) return {};
  try {
    other->judge(property, c);
  } catch (const KernelUnavailable&) {
    return {};
  }
  return explanation.why();
}

}  // namespace assay::validation
