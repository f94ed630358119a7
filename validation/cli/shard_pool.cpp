#include "validation/cli/shard_pool.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "metal/device/program_file.h"
#include "metal/device/read_file.h"
#include "validation/cli/interrupt.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX has programs declare it

namespace assay::validation {
namespace {

namespace fs = std::filesystem;

constexpr int max_deaths = 3;  ///< of a shard, without a unit finished between them

}  // namespace

bool ShardProcess::look() {
  if (!fs::exists(report)) return false;
  const Report written = read_report(report);
  units = units_done = 0;
  for (const auto& run : written.runs) {
    units += run.units;
    units_done += run.units_done;
  }
  return written.complete;
}

double ShardProcess::share_done() const {
  return finished ? 1 : static_cast<double>(units_done) / static_cast<double>(std::max<std::int64_t>(units, 1));
}

std::string ShardProcess::output() const {
  const std::string text = metal::read_file(log).value_or("");
  return text.substr(text.size() - std::min<std::size_t>(text.size(), 2000));
}

ShardPool::ShardPool(const ShardedGate& gate, const fs::path& folder) : gate_(gate) {
  for (int index = 0; index < gate.shards; ++index)
    shards_.push_back({index, folder / fmt::format("{}.json", index), folder / fmt::format("{}.log", index)});
}

ShardPool::~ShardPool() {
  stop();
  for (auto& shard : shards_)
    if (shard.process > 0) waitpid(shard.process, nullptr, 0);
}

bool ShardPool::run() {
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

std::vector<std::string> ShardPool::reports() const {
  std::vector<std::string> paths;
  for (const auto& shard : shards_) paths.push_back(shard.report.string());
  return paths;
}

std::int64_t ShardPool::running() const {
  return std::count_if(shards_.begin(), shards_.end(), [](const auto& shard) { return shard.process > 0; });
}

/// The shell's $0 is the log, and "$@" are the words of the command, which the launcher gets unchanged.
void ShardPool::start(ShardProcess& shard) const {
  shard.done_at_start = shard.units_done;
  std::vector<std::string> words = {"sh", "-c", fmt::format(R"(exec {} "$@" >"$0" 2>&1 </dev/null)", gate_.launcher),
                                    shard.log.string(), "env"};
  words.push_back(fmt::format("GTEST_TOTAL_SHARDS={}", gate_.shards));
  words.push_back(fmt::format("GTEST_SHARD_INDEX={}", shard.index));
  if (gate_.launcher.empty()) words.push_back(fmt::format("{}={}", shard_of, getpid()));
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

void ShardPool::collect(ShardProcess& shard) const {
  int status = 0;
  if (shard.process <= 0 || waitpid(shard.process, &status, WNOHANG) == 0) return;
  shard.process = -1;
  const int exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  shard.finished = shard.look() && exit <= 1;
  if (shard.finished || Interrupt::came()) return;
  shard.deaths = shard.units_done > shard.done_at_start ? 1 : shard.deaths + 1;
  constexpr int refused = 2;
  if (exit == refused || shard.deaths == max_deaths)
    throw std::runtime_error(fmt::format("shard {} of {} ended with status {}{}:\n{}", shard.index, gate_.shards, exit,
                                         exit == refused ? "" : fmt::format(", {} times", max_deaths), shard.output()));
  start(shard);
}

void ShardPool::stop() {
  for (const auto& shard : shards_)
    if (shard.process > 0 && !stopped_) kill(shard.process, SIGTERM);
  stopped_ = true;
}

void ShardPool::show(ShardProcess& one) {
  if (one.process > 0) one.look();
  double done = 0;
  for (const auto& shard : shards_) done += shard.share_done();
  bar_.show(done, gate_.shards, fmt::format("{} of {} shards are running", running(), gate_.shards));
}

}  // namespace assay::validation
