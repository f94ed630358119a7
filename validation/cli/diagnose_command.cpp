// assay diagnose: what is wrong with a user's batch, in plain words.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/cli/commands.h"
#include "validation/cli/input_options.h"
#include "validation/core/terminal.h"
#include "validation/ctc/diagnosis/certified_loss.h"
#include "validation/ctc/diagnosis/diagnose.h"
#include "validation/ctc/diagnosis/json.h"
#include "validation/ctc/diagnosis/report.h"
#include "validation/ctc/operation.h"
#include "validation/report/report_file.h"

namespace assay::validation {
namespace {

/// Prints the diagnosis of the batch in `path`, losses to `digits` digits, and writes it to the file `json` as well,
/// unless `json` is empty. Returns 0 if nothing is wrong, 1 if something is wrong, 2 if `path` cannot be read.
int print_diagnosis_of(const std::filesystem::path& path, int digits, bool colour, const std::filesystem::path& json) {
  std::vector<std::string> notes;
  CtcCase batch;
  try {
    batch = CtcOperation::read(path, notes);
  } catch (const std::runtime_error& error) {
    tell("{}\n", error.what());
    return 2;
  }
  std::ostringstream page;
  page << path.string() << '\n';
  for (const std::string& note : notes) page << "note: " << note << '\n';
  const std::vector<RowDiagnosis> rows = diagnose(batch, digits);
  print_diagnosis(page, batch, rows, colour);
  write_text(stdout, shown(page.str(), colour));
  if (!json.empty()) write_atomically(json, to_json(rows, notes));
  return std::all_of(rows.begin(), rows.end(), [](const RowDiagnosis& row) { return row.is_healthy(); }) ? 0 : 1;
}

}  // namespace

void add_diagnose_command(CLI::App& app, Action& action) {
  struct Options {
    std::string path;
    int digits = 30;
    bool colour = false;
    std::string json;
  };
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand("diagnose", "Say what is wrong with a batch whose loss is inf or NaN");
  command->add_option("batch", options->path, ".npz of logits or log_probs, targets, input_lengths, target_lengths")
      ->required();
  command->add_option("--digits", options->digits, "Digits of each row's loss")
      ->check(CLI::Range(1, max_loss_digits))
      ->capture_default_str();
  add_memory_limit(*command);
  command->add_flag("--colour", options->colour, "Colour for a terminal");
  command->add_option("--json", options->json, "Also write the diagnosis to this file");
  command->footer("Exit status: 0 nothing is wrong, 1 something is wrong, 2 the file cannot be read as a batch.");
  command->callback([options, &action] {
    action = [options] { return print_diagnosis_of(options->path, options->digits, options->colour, options->json); };
  });
}

}  // namespace assay::validation
