#include "metal/emulator/numerics/numeric_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace assay::metal::emulator {

namespace {

std::string number_text(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{:.9g}", value);
}

const SourcePosition& position_of(const Numerics& numerics, std::uint32_t site) {
  return numerics.sites()[site].position;
}

Event event_of(const Numerics& numerics, const NumericEvent& event) {
  std::string action = fmt::format("{} = {}", shown(event.code, event.operands), number_text(event.result));
  if (std::isfinite(event.exact)) action += ", exactly " + number_text(event.exact);
  return {action, event.thread, position_of(numerics, event.site)};
}

enum class Subject : std::uint32_t { origin, loss, decision };

Report warning(const DispatchInfo& dispatch, std::string message) {
  Report report;
  report.check = Check::numcheck;
  report.kernel = dispatch.kernel;
  report.message = std::move(message);
  report.is_warning = true;
  return report;
}

void add(ReportLog& log, std::uint32_t site, Subject subject, Report report) {
  const std::uintptr_t place = std::uintptr_t{site} << 2 | static_cast<std::uint32_t>(subject);
  log.add({Check::numcheck, nullptr, place}, [&] { return Finding{std::move(report), {}, {}, 0, 0}; });
}

std::uint32_t root_of(const std::vector<Origin>& origins, std::uint32_t n) {
  while (origins[n].cause != 0) n = origins[n].cause;
  return n;
}

void note_what_outputs_show(Numerics& numerics, const DispatchInfo& dispatch) {
  std::vector<Origin>& origins = numerics.origins();
  for (const BoundMemory& memory : dispatch.memory) {
    if (!holds_results(memory)) continue;
    for_each_known(numerics, memory, [&](const KnownNumber& known) {
      const TapeEntry& entry = known.entry;
      if (std::isfinite(entry.value)) return;
      Origin& root = origins[root_of(origins, entry.operands[0])];
      if (!root.reached.empty() && (std::isnan(root.became) || !std::isnan(entry.value))) return;
      root.reached = name_of(dispatch, known.address);
      root.became = entry.value;
    });
  }
}

/// The first NaN that was made of the infinities of `root`.
const Origin* nan_of(const std::vector<Origin>& origins, std::uint32_t root) {
  for (std::uint32_t n = root + 1; n < origins.size(); ++n)
    if (root_of(origins, n) == root) return &origins[n];
  return nullptr;
}

bool is_overflow(const NumericEvent& event) {
  return std::isinf(event.result) && std::isfinite(event.exact);
}

std::string message_of(const Numerics& numerics, const Origin& origin) {
  const NumericEvent& event = origin.event;
  const bool is_conversion = operation_of(event.code) == Operation::convert;
  std::string text = fmt::format("{} {}", shown(event.code, event.operands),
                                 std::isnan(event.result) ? "makes a NaN" : "makes an infinity");
  if (is_overflow(event))
    text += fmt::format(": exactly {}, which {} cannot hold", number_text(event.exact),
                        is_conversion ? "the type" : name_of(precision_of(event.code)));
  if (origin.underflow == 0) return text;
  const TapeEntry& zero = numerics.tape()[origin.underflow];
  return text + fmt::format("; its operand {} is exactly {}, and was made at {}", number_text(zero.value),
                            number_text(zero.exact), to_string(position_of(numerics, zero.site())));
}

std::string advice_for(const Origin& origin) {
  if (origin.underflow != 0) return "keep the operand from underflow: add logarithms, or scale";
  if (is_overflow(origin.event)) return "scale the operands, or subtract the largest before exp";
  return "test the operands before it";
}

Event absorption_of(const Numerics& numerics, const SiteStatistics& site) {
  Event event = event_of(numerics, site.absorption);
  event.action += fmt::format(", a term is absorbed, {} times in all", site.absorbed);
  return event;
}

/// The sum that absorbed terms on the line with the largest share: a subtraction behind it has shown what they were.
const SiteStatistics* absorbing_site(const Numerics& numerics, const Losses& losses) {
  for (const LineLoss& line : losses.lines)
    for (std::uint32_t n = numerics.first_site(); n < numerics.sites().size(); ++n) {
      const SiteStatistics& site = numerics.sites()[n];
      if (site.absorbed != 0 && line.share > 0 && site.position.line == line.position.line &&
          site.position.file == line.position.file)
        return &site;
    }
  return nullptr;
}

void report_loss(const Numerics& numerics, const Losses& losses, const LineLoss& line, const DispatchInfo& dispatch,
                 ReportLog& log) {
  const SiteStatistics& site = numerics.sites()[line.site];
  const OutputError& worst = *std::ranges::max_element(losses.worst, {}, &OutputError::lost_bits);
  Report report = warning(dispatch, {});
  report.event = {"many roundings", {}, site.position};
  report.message = fmt::format("{:.0f} % of the error of {} element{}, which lost more than half of their digits",
                               100 * line.share, losses.large, losses.large == 1 ? "" : "s");
  report.address = fmt::format("{} is {}, exactly {}: {:.0f} of {} bits are lost", worst.place,
                               number_text(worst.stored), number_text(worst.exact),
                               std::min<double>(worst.lost_bits, bits_of(worst.precision)), bits_of(worst.precision));
  if (site.worst_growth > 2) {
    report.event = event_of(numerics, site.worst);
    report.event.action += fmt::format(", which loses {:.0f} bits", line.lost_bits);
    if (const SiteStatistics* sum = absorbing_site(numerics, losses)) report.other = absorption_of(numerics, *sum);
  } else if (site.absorbed != 0) {
    report.event = absorption_of(numerics, site);
  }
  add(log, line.site, Subject::loss, std::move(report));
}

}  // namespace

void report_origins(Numerics& numerics, std::uint32_t first, const DispatchInfo& dispatch, ReportLog& log) {
  note_what_outputs_show(numerics, dispatch);
  const std::vector<Origin>& origins = numerics.origins();
  for (std::uint32_t n = std::max(first, 1U); n < origins.size(); ++n) {
    const Origin& origin = origins[n];
    if (origin.cause != 0) continue;
    const Origin* const nan = nan_of(origins, n);
    const bool is_nan = std::isnan(origin.event.result) || nan, is_shown = !origin.reached.empty();
    const bool is_narrow = operation_of(origin.event.code) == Operation::convert;
    if (!is_nan && !is_shown && !is_narrow) continue;
    Report report = warning(dispatch, message_of(numerics, origin));
    report.address = is_shown ? fmt::format("{} is {}", origin.reached, number_text(origin.became))
                              : "no output of the dispatch shows it";
    report.event = event_of(numerics, origin.event);
    if (nan) report.other = event_of(numerics, nan->event);
    report.count = origin.count;
    report.is_warning = !is_shown || (!std::isnan(origin.became) && !is_overflow(origin.event));
    report.advice = advice_for(origin);
    add(log, origin.event.site, Subject::origin, std::move(report));
  }
}

void report_losses(const Numerics& numerics, const Losses& losses, const DispatchInfo& dispatch, ReportLog& log) {
  if (losses.large == 0) return;
  for (const LineLoss& line : losses.lines)
    if (line.share >= 0.1) report_loss(numerics, losses, line, dispatch, log);
  for (std::uint32_t n = numerics.first_site(); n < numerics.sites().size(); ++n) {
    const SiteStatistics& site = numerics.sites()[n];
    if (site.decided == 0) continue;
    const auto& [of_site, code, operands, left, right, thread] = site.decision;
    Report report = warning(dispatch, "rounding decides this comparison");
    report.event = {fmt::format("{} is compared with {}, exactly {} with {}", number_text(operands.of[0]),
                                number_text(operands.of[1]), number_text(left), number_text(right)),
                    thread, site.position};
    report.count = site.decided;
    add(log, n, Subject::decision, std::move(report));
  }
}

}  // namespace assay::metal::emulator
