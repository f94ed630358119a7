// assay replay: judges one case again, from the line that a failure printed, or all failures of a report.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "validation/cli/commands.h"
#include "validation/cli/explain_options.h"
#include "validation/cli/input_options.h"
#include "validation/cli/interrupt.h"
#include "validation/cli/plugin_options.h"
#include "validation/core/report.h"
#include "validation/core/side_by_side.h"
#include "validation/core/terminal.h"
#include "validation/core/words.h"
#include "validation/registry.h"
#include "validation/report/report_file.h"

namespace assay::validation {
namespace {

std::string take(Words& words, const std::string& key, const std::string& otherwise) {
  auto node = words.extract(key);
  return node.empty() ? otherwise : node.mapped();
}

/// Prints the verdict of one property on the cases in turn, mistrusted where too little was judged; true when it is no
/// failure.
bool replay_one(const GateSubject& subject, std::size_t property, const Sequence& cases) {
  Finding finding = judge_in_turn(subject, property, cases, Interrupt::came);
  const Judged& all = finding.judged;
  if (!is_failure(finding.verdict) && !all.suffices()) {
    finding.verdict = Verdict::mistrusted;
    finding.explanation = fmt::format(
        "  too little was judged, {} of {} elements: the bounds of the others are no smaller than what the values can "
        "be",
        all.judged, all.elements);
  }
  tell("  {:<17}{}{}\n", subject.properties()[property].name, painted_name(finding.verdict, wants_colour(stdout)),
       finding.margin.share > 0 ? fmt::format("{:.4g} of the bound at {}", finding.margin.share, finding.margin.place)
                                : "");
  if (!finding.explanation.empty()) tell("{}\n", finding.explanation);
  flush(stdout);
  return !is_failure(finding.verdict) && finding.verdict != Verdict::mistrusted;
}

template <class Operation>
typename Operation::Case case_of(Words words) {
  const std::string file = take(words, "file", "");
  if (!file.empty() && !words.empty()) {
    throw std::invalid_argument(fmt::format("'{}=' has no meaning beside file=", words.begin()->first));
  }
  std::vector<std::string> notes;
  auto c = file.empty() ? Operation::from_words(words) : Operation::read(file, notes);
  require_valid(c);
  return c;
}

/// The cases of a line: that of `words`, then that of each of `more`, each as many times as it says.
template <class Operation>
Sequence cases_of(Words words, const std::vector<std::string>& more) {
  Sequence cases;
  const auto add = [&](Words one) {
    const int times = times_of(one);
    one.erase("times");
    cases.insert(cases.end(), static_cast<std::size_t>(times), AnyCase(case_of<Operation>(std::move(one))));
  };
  add(std::move(words));
  for (const std::string& line : more) add(parse_words(line));
  return cases;
}

struct ReplayArguments {
  std::string line;
  std::string report;
  std::string property;
  int digits = 50;
  double time_limit = 10;
  bool digits_chosen = false;
  ExplainOptions explain;
};

template <class Operation>
int replay(Words words, const std::vector<std::string>& more, int digits, const ExplainOptions& explain) {
  const std::string wanted = take(words, "property", "");
  const std::string name = take(words, "kernel", "cpu");
  std::optional<Explanation> explanation;
  if (explain.explains()) explanation.emplace();
  const auto subject = subject_called<Operation>(name, digits, wanted == algebra_name);
  const auto cases = cases_of<Operation>(std::move(words), more);
  const std::size_t first = wanted.empty() ? 0 : subject->index_of(wanted);
  const std::size_t end = wanted.empty() ? subject->properties().size() : first + 1;
  bool passed = true;
  for (std::size_t i = first; i < end; ++i) {
    if (Interrupt::came()) return interrupted_status;
    passed = replay_one(*subject, i, cases) && passed;
  }
  if (explanation) explain.report(*explanation, name);
  return passed ? 0 : 1;
}

int replay_line(const std::string& line, int digits, const ExplainOptions& explain) {
  const std::vector<std::string> parts = parts_of(line);
  Words words = parse_words(parts.front());
  const std::vector<std::string> more(parts.begin() + 1, parts.end());
  const std::string operation = take(words, "operation", CtcOperation::name);
  return with_operation(operation, [&]<class Operation>(Operation) {
    return replay<Operation>(std::move(words), more, digits, explain);
  });
}

int replay_failure(const ReportedFailure& failure, const ReplayArguments& arguments) {
  if (failure.words.empty()) {
    tell("  {:<17}not replayed: the case alone passes, and only earlier calls lead to the failure:\n    {}\n",
         failure.property, failure.line);
    return 1;
  }
  tell("{}\n", failure.words);
  return replay_line(failure.words, arguments.digits_chosen ? arguments.digits : failure.digits, {});
}

/// Replays the failures of a report, or those of one property.
int replay_report(const ReplayArguments& arguments) {
  int status = 0;
  int replayed = 0;
  for (const auto& failure : reported_failures(arguments.report)) {
    if (!arguments.property.empty() && failure.property != arguments.property) continue;
    if (Interrupt::came()) break;
    ++replayed;
    status = std::max(status, replay_failure(failure, arguments));
  }
  tell("{}: {} failures replayed\n", arguments.report, replayed);
  if (replayed == 0 && !arguments.property.empty())
    throw std::invalid_argument(
        fmt::format("{} holds no failure of property '{}'", arguments.report, arguments.property));
  return status;
}

int replay_line_or_report(const ReplayArguments& arguments) {
  if (arguments.report.empty() && arguments.line.empty())
    throw std::invalid_argument("replay: expected a line, or --from REPORT");
  const Interrupt interrupt;
  const int status = arguments.report.empty() ? replay_line(arguments.line, arguments.digits, arguments.explain)
                                              : replay_report(arguments);
  if (!Interrupt::came()) return status;
  tell(stderr, "assay replay: interrupted: the verdicts above are all there are\n");
  return interrupted_status;
}

}  // namespace

void add_replay_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<ReplayArguments>();
  auto* command = app.add_subcommand("replay", "Judge a failed case again, from its line or from a report");
  auto* line = command->add_option(
      "line", arguments->line,
      "operation=... property=... kernel=... T=..., or file=PATH; several cases in turn: ... then times=3 T=...");
  auto* from = command->add_option("--from", arguments->report, "Each failure in this report: JSON, JUnit XML or HTML")
                   ->check(CLI::ExistingFile)
                   ->excludes(line);
  command->add_option("--property", arguments->property, "Only the report's failure of this property")->needs(from);
  auto* digits = command->add_option("--digits", arguments->digits, "Decimal digits of the reference")
                     ->check(CLI::Range(30, 10'000))
                     ->capture_default_str();
  add_time_limit(*command, arguments->time_limit);
  add_memory_limit(*command);
  arguments->explain.add(*command)->excludes(from);
  command->callback([&action, arguments, digits] {
    arguments->digits_chosen = digits->count() > 0;
    action = [arguments] {
      transport::set_time_limit(arguments->time_limit);
      return replay_line_or_report(*arguments);
    };
  });
}

}  // namespace assay::validation
