// assay lattice: every quantity of CTC's derivation for one word, the numbers of the interactive page.
#include <fmt/format.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "metal/device/read_file.h"
#include "reference/ctc/repeats.h"
#include "validation/cli/commands.h"
#include "validation/cli/lattice_request.h"
#include "validation/cli/lattice_table.h"
#include "validation/core/terminal.h"
#include "validation/steps/steps.h"

namespace assay::validation {
namespace {

using Json = nlohmann::json;

struct LatticeCommand {
  LatticeArguments problem;
  std::string request;  ///< a file, or - for standard input
  bool alignments = false;
  bool json = false;
};

std::string contents(const std::string& path) {
  const auto text = metal::read_file(path == "-" ? "/dev/stdin" : path);
  if (!text)
    throw std::runtime_error(
        fmt::format("--request = '{}': expected a file that can be read: {}", path, text.error().text));
  return *text;
}

std::string answer(const std::string& request, bool alignments) {
  return alignments ? alignment_steps(request) : ctc_steps(request);
}

Json parsed(const std::string& response) {
  Json json = Json::parse(response);
  if (json.contains("error")) throw std::invalid_argument(json["error"].get<std::string>());
  return json;
}

/// Why no alignment spells the word in so few frames, or nothing where one does.
std::string why_infeasible(const Json& request, const std::string& word) {
  const auto labels = request["labels"].get<std::vector<std::int64_t>>();
  const auto T = request["T"].get<std::int64_t>();
  if (reference::feasible(T, labels)) return "";
  const std::int64_t S = std::ssize(labels), repeats = reference::repeats(labels);
  const std::string blanks =
      repeats == 0 ? "" : fmt::format(", and {} for the blank between each pair of equal neighbours", repeats);
  return fmt::format(
      "'{}' needs {} frames: {} for its labels{}.\nIn {} frames no alignment spells it: p is 0 and the loss "
      "infinite.\n\n",
      word, S + repeats, S, blanks, T);
}

void print_tables(const LatticeCommand& command, const Json& request) {
  const LatticeArguments& problem = command.problem;
  const std::vector<std::string> classes = lattice_classes(problem);
  const Json response = parsed(answer(request.dump(), command.alignments));
  tell("assay lattice: '{}' in {} frames, {} classes, {}, {}\n\n", problem.word, request["T"].get<std::size_t>(),
       classes.size(), problem.number, problem.space);
  tell("{}", why_infeasible(request, problem.word));
  if (command.alignments) {
    tell("{}", alignments_table(response, classes));
    return;
  }
  Json exact;
  if (problem.number != "exact") {
    Json with_digits = request;
    with_digits["number"] = {{"digits", 50}};
    exact = parsed(ctc_steps(with_digits.dump()));
  }
  tell("{}", lattice_table(response, exact, classes, problem.space == "log"));
}

void print_answer(const std::string& request, bool alignments) {
  const std::string response = answer(request, alignments);
  parsed(response);
  write_text(stdout, response + "\n");
}

int run(const LatticeCommand& command) {
  if (!command.request.empty()) {
    print_answer(contents(command.request), command.alignments);
    return 0;
  }
  const Json request = lattice_request(command.problem);
  if (command.json) {
    print_answer(request.dump(), command.alignments);
  } else {
    print_tables(command, request);
  }
  return 0;
}

}  // namespace

void add_lattice_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<LatticeCommand>();
  LatticeArguments& problem = arguments->problem;
  auto* command = app.add_subcommand("lattice", "Every step of CTC's derivation for one word, in any number type");
  command->add_option("--word", problem.word, "Letters a to z and spaces; hello with the logits of speech");
  command->add_option("--frames", problem.frames, "Frames of uniform logits")->check(CLI::Range(1, 1000));
  command->add_option("--classes", problem.classes, "word: the blank and its letters; all: those of the speech data")
      ->check(CLI::IsMember({"word", "all"}))
      ->capture_default_str();
  auto* logits =
      command
          ->add_option("--logits", problem.logits, "uniform, speech, or rows of frames: '0,1,0.5;2,0,0', blank first")
          ->capture_default_str();
  auto* outputs = command->add_option("--outputs", problem.outputs, "y itself, as rows: '1/2,1/2;1/3,2/3'");
  outputs->excludes(logits);
  command->add_option("--scale", problem.scale, "Factor for the logits")->excludes(outputs);
  command->add_option("--number", problem.number, "half, bfloat16, float, double, exact (of outputs), or digits: 50")
      ->capture_default_str();
  command->add_option("--space", problem.space, "probability, scaled or log")->capture_default_str();
  command->add_flag("--alignments", arguments->alignments, "List every alignment instead");
  command->add_flag("--json", arguments->json, "All digits, as JSON");
  auto* request =
      command->add_option("--request", arguments->request, "Answer this JSON (a file, or -) as JSON, as the page does");
  for (const char* const name :
       {"--word", "--frames", "--classes", "--logits", "--outputs", "--scale", "--number", "--space"})
    request->excludes(name);
  command->callback([&action, arguments, command] {
    if (arguments->problem.logits == "speech" && command->count("--word") == 0) arguments->problem.word = "hello";
    action = [arguments] { return run(*arguments); };
  });
}

}  // namespace assay::validation
