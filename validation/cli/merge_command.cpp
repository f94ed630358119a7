// assay merge: merges the reports of a run's shards into one.
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "validation/cli/commands.h"
#include "validation/cli/gate_table.h"
#include "validation/cli/report_options.h"
#include "validation/report/merge.h"

namespace assay::validation {
namespace {

struct MergeArguments {
  std::vector<std::string> paths;
  ReportFiles files;
};

int merge_reports(const std::vector<std::string>& paths, const ReportFiles& files) {
  std::vector<NamedReport> shards;
  for (const auto& path : paths) shards.push_back({path, read_report(path)});
  const Report report = merge(shards);
  for (const auto& run : report.runs) GateTable(table_stream(files)).whole(run);
  write_report(report, files);
  return exit_status(report);
}

}  // namespace

void add_merge_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<MergeArguments>();
  auto* command = app.add_subcommand("merge", "Join the JSON reports of a run's shards into one report");
  command->add_option("reports", arguments->paths, "One JSON report of each shard")->required();
  add_report_options(*command, arguments->files);
  command->callback(
      [&action, arguments] { action = [arguments] { return merge_reports(arguments->paths, arguments->files); }; });
}

}  // namespace assay::validation
