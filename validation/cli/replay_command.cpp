// assay replay: judges one case again, from the line that a failure printed.
#include <fmt/format.h>

#include <memory>

#include "validation/cli/commands.h"
#include "validation/core/terminal.h"
#include "validation/ctc/kernels.h"
#include "validation/ctc/npz.h"
#include "validation/ctc/property.h"
#include "validation/ctc/text.h"

namespace assay::validation {
namespace {

std::string take(std::map<std::string, std::string>& words, const std::string& key, const std::string& otherwise) {
  auto node = words.extract(key);
  return node.empty() ? otherwise : node.mapped();
}

/// Prints the verdict of one property on the case; true when it is not a failure.
bool replay_one(const CtcProperty& property, const CtcContext& context, const CtcCase& c) {
  const Finding finding = judge(property, context, c);
  fmt::print("  {:<17}{}{}\n", property.name, painted_name(finding.verdict, wants_colour(stdout)),
             finding.margin.share > 0
                 ? fmt::format("{:.4g} of the bound at {}", finding.margin.share, finding.margin.place)
                 : "");
  if (!finding.explanation.empty()) fmt::print("{}\n", finding.explanation);
  return !is_failure(finding.verdict) && finding.verdict != Verdict::mistrusted;
}

int replay(const std::string& line, int digits) {
  auto words = parse_words(line);
  const std::string wanted = take(words, "property", "");
  const auto kernel = ctc_kernel(take(words, "kernel", "cpu"));
  const std::string file = take(words, "file", "");
  if (!file.empty() && !words.empty()) {
    throw std::invalid_argument(fmt::format("'{}=' has no meaning beside file=", words.begin()->first));
  }
  const CtcCase c = file.empty() ? from_words(words) : read_npz(file);
  require_valid(c);
  bool found = false;
  bool passed = true;
  for (const auto& property : ctc_properties()) {
    if (!wanted.empty() && property.name != wanted) continue;
    found = true;
    passed = replay_one(property, {*kernel, digits}, c) && passed;
  }
  if (!found) throw std::invalid_argument(fmt::format("property={}: `assay gate --list` names them", wanted));
  return passed ? 0 : 1;
}

}  // namespace

void add_replay_command(CLI::App& app, Action& action) {
  auto line = std::make_shared<std::string>();
  auto digits = std::make_shared<int>(50);
  auto* command = app.add_subcommand("replay", "Judge one case again, from the line that a failure printed");
  command->add_option("line", *line, "property=... kernel=... T=... or property=... kernel=... file=PATH")->required();
  command->add_option("--digits", *digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  command->callback([&action, line, digits] { action = [line, digits] { return replay(*line, *digits); }; });
}

}  // namespace assay::validation
