// assay gradcheck: judges a kernel's gradient element by element and finds what wrong elements have in common.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "validation/cli/commands.h"
#include "validation/cli/device_options.h"
#include "validation/cli/input_options.h"
#include "validation/cli/interrupt.h"
#include "validation/cli/plugin_options.h"
#include "validation/cli/read_input.h"
#include "validation/cli/seed_option.h"
#include "validation/core/terminal.h"
#include "validation/core/words.h"
#include "validation/gradcheck/operation.h"
#include "validation/registry.h"
#include "validation/report/report_file.h"

namespace assay::validation {
namespace {

struct GradcheckArguments {
  std::string operation;
  KernelChoice choice;
  std::string input;
  std::string words;
  std::string json;
  GradcheckOptions options;
  double time_limit = 10;
};

/// The user's batch, from a file or from the line that a failure printed; nothing if neither is given.
template <class Operation>
std::optional<NamedCase<Operation>> given_case(const GradcheckArguments& arguments) {
  if (!arguments.input.empty()) return read_input<Operation>(arguments.input, InputOf::user, stdout);
  if (arguments.words.empty()) return std::nullopt;
  NamedCase<Operation> given{"the case given", Operation::from_words(parse_words(arguments.words))};
  require_valid(given.problem);
  return given;
}

int status_of(Verdict verdict) {
  if (verdict == Verdict::pass) return 0;
  return verdict == Verdict::skipped ? 2 : 1;
}

template <class Operation>
int run(const GradcheckArguments& arguments) {
  const std::string name = arguments.choice.name();
  const auto kernel = kernel_called<Operation>(name.empty() ? "cpu" : name);
  const auto given = given_case<Operation>(arguments);
  const GradcheckOptions& options = arguments.options;
  tell("assay gradcheck {}: kernel {}, {}, {} digits\n\n", Operation::name, kernel->info().name,
       given ? given->name : fmt::format("{} generated (seed {}) and sharp cases", options.cases, options.seed),
       options.digits);
  ProgressBar bar;
  const auto progress = [&](int cases) { bar.show(cases, options.cases, "gradients"); };
  const Interrupt interrupt;
  const GradcheckRecord record = gradcheck<Operation>(*kernel, options, given, progress, Interrupt::came);
  bar.clear();
  tell("{}", to_text(record, wants_colour(stdout)));
  if (!arguments.json.empty()) write_atomically(arguments.json, to_json(record));
  return Interrupt::came() ? interrupted_status : status_of(record.verdict);
}

}  // namespace

void add_gradcheck_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GradcheckArguments>();
  auto* command =
      app.add_subcommand("gradcheck", "Judge a kernel's gradient element by element, and say what is wrong");
  command->add_option("operation", arguments->operation, "The operation whose gradient is judged")
      ->check(CLI::IsMember(operation_names()))
      ->required();
  add_kernel_options(*command, arguments->choice);
  auto* input =
      command->add_option("--input", arguments->input, "Judge on this batch (.npz)")->check(CLI::ExistingFile);
  command->add_option("--case", arguments->words, "Judge on this case, as a failure prints it")->excludes(input);
  command->add_option("--cases", arguments->options.cases, "Generated cases")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_seed(*command, arguments->options.seed);
  command->add_option("--digits", arguments->options.digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  command->add_option("--worst", arguments->options.worst, "Elements to list, the worst first")
      ->check(CLI::Range(0, 100'000))
      ->capture_default_str();
  command->add_option("--json", arguments->json, "Also write the outcome to this file");
  add_time_limit(*command, arguments->time_limit);
  add_memory_limit(*command);
  command->callback([&action, arguments] {
    action = [arguments] {
      transport::set_time_limit(arguments->time_limit);
      return with_operation(arguments->operation, [&]<class Operation>(Operation) {
        if constexpr (requires { &Operation::judge_gradients; }) {
          return run<Operation>(*arguments);
        } else {
          throw std::invalid_argument(fmt::format("operation {} has no gradient to check", Operation::name));
          return 1;
        }
      });
    };
  });
}

}  // namespace assay::validation
