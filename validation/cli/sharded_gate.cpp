#include "validation/cli/sharded_gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/files.h"
#include "validation/cli/interrupt.h"
#include "validation/cli/merge_command.h"
#include "validation/cli/shard_pool.h"
#include "validation/core/terminal.h"

namespace assay::validation {
namespace {

namespace fs = std::filesystem;
using metal::emulator::TemporaryFolder;

/// The folder of the shards' reports: temporary, unless it is kept for --resume.
struct ReportFolder {
  explicit ReportFolder(fs::path kept) : path(std::move(kept)) {}
  explicit ReportFolder(TemporaryFolder made) : temporary(std::move(made)), path(temporary->path()) {}

  std::optional<TemporaryFolder> temporary;
  fs::path path;
};

ReportFolder folder_of(const ShardedGate& gate, const std::string& file) {
  if (file.empty() || file == "-")
    return ReportFolder(metal::or_throw(metal::emulator::temporary_files().and_then(TemporaryFolder::make)));
  const fs::path folder = file + ".shards";
  if (gate.resume.empty() && fs::exists(folder))
    throw std::invalid_argument(
        fmt::format("{} holds shards of an earlier command: continue it with --resume {}, or delete the folder",
                    folder.string(), file));
  if (!gate.resume.empty() && !fs::exists(folder))
    throw std::invalid_argument(
        fmt::format("--resume {}: there is no folder {} of its shards", gate.resume, folder.string()));
  fs::create_directories(folder);
  return ReportFolder(fs::absolute(folder));
}

/// Writes into the folder what is judged. Throws if the run to be resumed judges something else.
void require_same_command(const ShardedGate& gate, const fs::path& folder) {
  const std::string command = fmt::format("{} --shards {}", fmt::join(gate.words, " "), gate.shards);
  const fs::path note = folder / "command";
  if (!fs::exists(note)) {
    write_atomically(note, command);
    return;
  }
  const std::string begun = metal::read_file(note).value_or("");
  if (command != begun)
    throw std::invalid_argument(fmt::format(
        "--resume {}: the run began as '{}', and this is '{}': give the same options", gate.resume, begun, command));
}

}  // namespace

int judge_in_shards(const ShardedGate& gate) {
  ReportFiles files = gate.files;
  if (files.json.empty()) files.json = gate.resume;
  require_folders(files);
  const ReportFolder folder = folder_of(gate, gate.resume.empty() ? files.json : gate.resume);
  require_same_command(gate, folder.path);
  const Interrupt interrupt;
  ShardPool pool(gate, folder.path);
  if (!pool.run()) {
    tell(stderr, "assay gate: interrupted; {}\n",
         !folder.temporary ? fmt::format("to go on, repeat the command with --resume {}", files.json)
                           : "with --json FILE, a run can be resumed");
    return interrupted_status;
  }
  const int status = merge_reports(pool.reports(), files);
  fs::remove_all(folder.path);
  return status;
}

}  // namespace assay::validation
