#include "validation/cli/sharded_gate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "metal/device/program_file.h"
#include "metal/device/read_file.h"
#include "validation/cli/interrupt.h"
#include "validation/cli/merge_command.h"
#include "validation/core/terminal.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has programs declare it

namespace assay::validation {
namespace {

namespace fs = std::filesystem;

constexpr int max_deaths = 3;  ///< of a shard, without a unit finished between them

/// One shard: its files, and the process that judges it now.
struct ShardProcess {
  int index = 0;
  fs::path report, log;
  pid_t process = -1;  ///< -1: none
  bool finished = false;
  int deaths = 0;  ///< since it last finished a unit
  std::int64_t units = 1, units_done = 0, done_at_start = 0;

  /// Reads how far the shard has come. Returns whether its report is complete.
  bool look() {
    if (!fs::exists(report)) return false;
    const Report written = read_report(report);
    units = units_done = 0;
    for (const auto& run : written.runs) {
      units += run.units;
      units_done += run.units_done;
    }
    return written.complete;
  }

  double share_done() const {
    return finished ? 1 : static_cast<double>(units_done) / static_cast<double>(std::max<std::int64_t>(units, 1));
  }

  std::string output() const {
    const std::string text = metal::read_file(log).value_or("");
    return text.substr(text.size() - std::min<std::size_t>(text.size(), 2000));
  }
};

/// The folder of the shards' reports, which goes unless it is kept for --resume.
class ReportFolder {
 public:
  ReportFolder(fs::path path, bool is_kept) : path_(std::move(path)), is_kept_(is_kept) {}
  ReportFolder(const ReportFolder&) = delete;
  ReportFolder& operator=(const ReportFolder&) = delete;
  ~ReportFolder() {
    std::error_code ignored;
    if (!is_kept_) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  bool is_kept_;
};

fs::path folder_of(const ShardedGate& gate, const std::string& file) {
  if (file.empty() || file == "-") {
    std::string pattern = (fs::temp_directory_path() / "assay-shards-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "no folder for the reports of the shards");
    return pattern;
  }
  const fs::path folder = file + ".shards";
  if (gate.resume.empty() && fs::exists(folder))
    throw std::invalid_argument(
        fmt::format("{} holds shards of an earlier command: continue it with --resume {}, or delete the folder",
                    folder.string(), file));
  if (!gate.resume.empty() && !fs::exists(folder))
    throw std::invalid_argument(
        fmt::format("--resume {}: there is no folder {} of its shards", gate.resume, folder.string()));
  fs::create_directories(folder);
  return fs::absolute(folder);
}

/// Notes in the folder what is judged, or throws if a run to be resumed judges something else.
void require_same_command(const ShardedGate& gate, const fs::path& folder) {
  const std::string command = fmt::format("{} --shards {}", fmt::join(gate.words, " "), gate.shards);
  const fs::path note = folder / "command";
  if (!fs::exists(note)) {
    std::ofstream(note) << command;
    return;
  }
  const std::string begun = metal::read_file(note).value_or("");
  if (command != begun)
    throw std::invalid_argument(fmt::format(
        "--resume {}: the run began as '{}', and this is '{}': give the same options", gate.resume, begun, command));
}

class ShardPool {
 public:
  ShardPool(const ShardedGate& gate, const fs::path& folder) : gate_(gate) {
    for (int index = 0; index < gate.shards; ++index)
      shards_.push_back({index, folder / fmt::format("{}.json", index), folder / fmt::format("{}.log", index)});
  }
  ShardPool(const ShardPool&) = delete;
  ShardPool& operator=(const ShardPool&) = delete;
  ~ShardPool() {
    stop();
    for (auto& shard : shards_)
      if (shard.process > 0) waitpid(shard.process, nullptr, 0);
  }

  /// Judges all shards. Returns false if the command was interrupted.
  bool run() {
    using namespace std::chrono_literals;
    for (auto& shard : shards_) {
      shard.look();
      start(shard);
    }
    for (std::size_t turn = 0; running() > 0; ++turn) {
      for (auto& shard : shards_) collect(shard);
      if (Interrupt::came()) stop();
      show(shards_[turn % shards_.size()]);
      std::this_thread::sleep_for(100ms);
    }
    return !Interrupt::came();
  }

  std::vector<std::string> reports() const {
    std::vector<std::string> paths;
    for (const auto& shard : shards_) paths.push_back(shard.report.string());
    return paths;
  }

 private:
  std::int64_t running() const {
    return std::count_if(shards_.begin(), shards_.end(), [](const auto& shard) { return shard.process > 0; });
  }

  /// $0 is the log, and "$@" the command, which the launcher gets as words of its own.
  void start(ShardProcess& shard) const {
    shard.done_at_start = shard.units_done;
    std::vector<std::string> words = {"sh", "-c", fmt::format(R"(exec {} "$@" >"$0" 2>&1 </dev/null)", gate_.launcher),
                                      shard.log.string(), "env"};
    words.push_back(fmt::format("GTEST_TOTAL_SHARDS={}", gate_.shards));
    words.push_back(fmt::format("GTEST_SHARD_INDEX={}", shard.index));
    words.push_back(metal::program_path().string());
    words.insert(words.end(), gate_.words.begin(), gate_.words.end());
    words.insert(words.end(), {fs::exists(shard.report) ? "--resume" : "--json", shard.report.string()});
    std::vector<char*> pointers;
    for (auto& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    const int error = posix_spawn(&shard.process, "/bin/sh", nullptr, nullptr, pointers.data(), environ);
    if (error == 0) return;
    shard.process = -1;
    throw std::system_error(error, std::generic_category(), "a shard's process does not start");
  }

  /// Looks whether the shard's process has ended, and starts another one if it died.
  void collect(ShardProcess& shard) const {
    int status = 0;
    if (shard.process <= 0 || waitpid(shard.process, &status, WNOHANG) == 0) return;
    shard.process = -1;
    const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    shard.finished = shard.look() && exit <= 1;
    if (shard.finished || Interrupt::came()) return;
    shard.deaths = shard.units_done > shard.done_at_start ? 1 : shard.deaths + 1;
    constexpr int refused = 2;
    if (exit == refused || shard.deaths == max_deaths)
      throw std::runtime_error(fmt::format("shard {} of {} ended with status {}{}:\n{}", shard.index, gate_.shards,
                                           exit, exit == refused ? "" : fmt::format(", {} times", max_deaths),
                                           shard.output()));
    start(shard);
  }

  void stop() {
    for (const auto& shard : shards_)
      if (shard.process > 0 && !stopped_) kill(shard.process, SIGTERM);
    stopped_ = true;
  }

  /// One bar over all shards, of which one is looked at anew.
  void show(ShardProcess& one) {
    if (one.process > 0) one.look();
    double done = 0;
    for (const auto& shard : shards_) done += shard.share_done();
    bar_.show(done, gate_.shards, fmt::format("{} of {} shards are running", running(), gate_.shards));
  }

  const ShardedGate& gate_;
  std::vector<ShardProcess> shards_;
  ProgressBar bar_;
  bool stopped_ = false;
};

}  // namespace

int judge_in_shards(const ShardedGate& gate) {
  ReportFiles files = gate.files;
  if (files.json.empty()) files.json = gate.resume;
  require_folders(files);
  const bool is_kept = !files.json.empty() && files.json != "-";
  const ReportFolder folder(folder_of(gate, gate.resume.empty() ? files.json : gate.resume), is_kept);
  require_same_command(gate, folder.path());
  const Interrupt interrupt;
  ShardPool pool(gate, folder.path());
  if (!pool.run()) {
    fmt::print(stderr, "assay gate: interrupted; {}\n",
               is_kept ? fmt::format("to go on, repeat the command with --resume {}", files.json)
                       : "with --json FILE, a run can be resumed");
    return interrupted_status;
  }
  const int status = merge_reports(pool.reports(), files);
  fs::remove_all(folder.path());
  return status;
}

}  // namespace assay::validation
