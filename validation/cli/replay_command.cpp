// assay replay: judges one case again, from the line that a failure printed.
#include <fmt/format.h>

#include <memory>

#include "validation/cli/commands.h"
#include "validation/cli/operations.h"
#include "validation/core/terminal.h"
#include "validation/core/words.h"

namespace assay::validation {
namespace {

std::string take(Words& words, const std::string& key, const std::string& otherwise) {
  auto node = words.extract(key);
  return node.empty() ? otherwise : node.mapped();
}

/// Prints the verdict of one property on the case; true when it is not a failure.
template <class Operation>
bool replay_one(const Property<Operation>& property, const Context<Operation>& context,
                const typename Operation::Case& c) {
  const Finding finding = judge(property, context, c);
  fmt::print("  {:<17}{}{}\n", property.name, painted_name(finding.verdict, wants_colour(stdout)),
             finding.margin.share > 0
                 ? fmt::format("{:.4g} of the bound at {}", finding.margin.share, finding.margin.place)
                 : "");
  if (!finding.explanation.empty()) fmt::print("{}\n", finding.explanation);
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
  Operation::require_valid(c);
  return c;
}

template <class Operation>
int replay(Words words, int digits) {
  const std::string wanted = take(words, "property", "");
  const auto kernel = Operation::kernel(take(words, "kernel", "cpu"));
  const auto c = case_of<Operation>(std::move(words));
  bool found = false;
  bool passed = true;
  for (const auto& property : Operation::properties()) {
    if (!wanted.empty() && property.name != wanted) continue;
    found = true;
    passed = replay_one<Operation>(property, {*kernel, digits}, c) && passed;
  }
  if (!found)
    throw std::invalid_argument(fmt::format("property={}: `assay gate {} --list` names them", wanted, Operation::name));
  return passed ? 0 : 1;
}

int replay_line(const std::string& line, int digits) {
  Words words = parse_words(line);
  const std::string operation = take(words, "operation", CtcOperation::name);
  return with_operation(operation,
                        [&]<class Operation>(Operation) { return replay<Operation>(std::move(words), digits); });
}

}  // namespace

void add_replay_command(CLI::App& app, Action& action) {
  auto line = std::make_shared<std::string>();
  auto digits = std::make_shared<int>(50);
  auto* command = app.add_subcommand("replay", "Judge one case again, from the line that a failure printed");
  command
      ->add_option("line", *line,
                   "operation=... property=... kernel=... T=... or operation=... property=... kernel=... file=PATH")
      ->required();
  command->add_option("--digits", *digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  command->callback([&action, line, digits] { action = [line, digits] { return replay_line(*line, *digits); }; });
}

}  // namespace assay::validation
