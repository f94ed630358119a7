#include "validation/report/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace assay::validation {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw std::invalid_argument(fmt::format("{}: {}", name, why));
}

void require_complete(const NamedReport& shard) {
  if (!shard.report.complete) refuse(shard.name, "the run was not finished: finish it with --resume");
  if (shard.report.runs.empty()) refuse(shard.name, "the report holds no run");
}

void require_same_runs(const NamedReport& first, const NamedReport& other) {
  if (other.report.version != first.report.version)
    refuse(other.name, fmt::format("written by assay {}, and {} by {}: use one version", other.report.version,
                                   first.name, first.report.version));
  if (other.report.runs.size() != first.report.runs.size())
    refuse(other.name, fmt::format("has {} kernels, and {} has {}: run the shards with the same --kernel",
                                   other.report.runs.size(), first.name, first.report.runs.size()));
}

/// Throws unless `run` is a shard of the same run as `merged`.
void require_same_run(const GateRecord& merged, const GateRecord& run, const std::string& name) {
  require_same_question(merged.question, run.question, name);
  if (run.shard.total != merged.shard.total)
    refuse(name, fmt::format("is one of {} shards, where one of {} was expected", run.shard.total, merged.shard.total));
  bool same = run.properties.size() == merged.properties.size();
  for (std::size_t i = 0; same && i < run.properties.size(); ++i)
    same = run.properties[i].property == merged.properties[i].property;
  if (!same) refuse(name, "judged other properties than the first report");
}

/// The coverage of no case: its classes, each with a count of 0.
Coverage unmet(const Coverage& coverage) {
  Coverage::Counts counts = coverage.counts();
  for (auto& [name, count] : counts) count = 0;
  return {0, counts};
}

/// The record of a single run: the units of all shards are added in the order in which it would have judged them.
GateRecord single_run(const std::vector<const GateRecord*>& shards) {
  const GateRecord& first = *shards.front();
  if (first.shard.total == 1) return first;
  GateRecord run{first.question, {}, 0, 0, unmet(first.coverage), {}};
  for (const auto& property : first.properties)
    run.properties.push_back(unjudged(property.property, property.claim, property.is_far, property.has_many_rows));
  std::vector<const UnitRecord*> units;
  for (const GateRecord* const shard : shards) {
    run.units += shard->units;
    run.units_done += shard->units_done;
    for (const auto& one : shard->judged) units.push_back(&one);
  }
  std::sort(units.begin(), units.end(), [](const auto* a, const auto* b) { return a->unit < b->unit; });
  for (const UnitRecord* const one : units) run.add(run.spares(one->unit) ? run.spared(one->unit) : *one);
  if (failures_of(run) == 0) run.claimed = first.claimed;
  run.narrow = first.narrow;
  return run;
}

/// Throws if a shard is given twice or is missing.
void require_all_once(const std::vector<NamedReport>& shards, std::size_t run) {
  std::map<std::int64_t, std::string> seen;
  for (const auto& [name, report] : shards) {
    const Shard& shard = report.runs[run].shard;
    if (const auto [at, is_new] = seen.emplace(shard.index, name); !is_new)
      refuse(name, fmt::format("is shard {} of {}, as {} is", shard.index, shard.total, at->second));
  }
  const std::int64_t total = shards.front().report.runs[run].shard.total;
  std::vector<std::int64_t> missing;
  for (std::int64_t index = 0; index < total && missing.size() < 100; ++index)
    if (!seen.contains(index)) missing.push_back(index);
  if (!missing.empty())
    throw std::invalid_argument(fmt::format("shards are missing: GTEST_SHARD_INDEX={} of GTEST_TOTAL_SHARDS={}",
                                            fmt::join(missing, ", "), total));
}

}  // namespace

Report merge(const std::vector<NamedReport>& shards) {
  if (shards.empty()) throw std::invalid_argument("there is no report to merge");
  for (const auto& shard : shards) require_complete(shard);
  Report merged = shards.front().report;
  for (std::size_t i = 1; i < shards.size(); ++i) {
    require_same_runs(shards.front(), shards[i]);
    for (std::size_t run = 0; run < merged.runs.size(); ++run)
      require_same_run(merged.runs[run], shards[i].report.runs[run], shards[i].name);
  }
  for (std::size_t run = 0; run < merged.runs.size(); ++run) require_all_once(shards, run);
  for (std::size_t run = 0; run < merged.runs.size(); ++run) {
    std::vector<const GateRecord*> parts;
    for (const auto& shard : shards) parts.push_back(&shard.report.runs[run]);
    merged.runs[run] = single_run(parts);
  }
  return merged;
}

}  // namespace assay::validation
