// A run of the gate as plain data, of any operation: what every report is written from, and what is merged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "validation/core/coverage.h"
#include "validation/core/picture.h"
#include "validation/core/summary.h"

namespace assay::validation {

// Written into reports; a reader refuses any other.
inline constexpr const char* report_name = "assay gate report";
inline constexpr int report_format = 1;

/// The version of Assay: reports of different versions are neither merged nor resumed, for their cases may differ.
std::string program_version();

struct FailureRecord {
  std::int64_t unit = 0;    ///< of the property, in which it was met
  std::string origin;       ///< "generated, shrunk in 12 steps" or the name of the given case
  std::string explanation;  ///< what was expected, what came, where
  std::string reproducer;   ///< ./assay replay '...'
  std::vector<Picture> pictures;
};

struct PropertyRecord : PropertySummary {
  std::optional<FailureRecord> failure;

  /// Adds what came of other cases of the property: of two failures, that of the earlier unit stays. Settles.
  void merge(const PropertyRecord& other);
};

/// The part of a run that is done here: every `total`-th unit of it, from `index` on.
struct Shard {
  std::int64_t index = 0;
  std::int64_t total = 1;

  bool has(std::int64_t unit) const { return unit % total == index; }
  bool operator==(const Shard&) const = default;
};

/// What was asked for.
struct GateQuestion {
  std::string operation;  ///< "ctc"
  std::string kernel;     ///< its name
  int cases = 0;          ///< generated cases for each property
  std::uint64_t seed = 1;
  int digits = 50;
  std::string filter;              ///< regular expression of the properties' names; empty: all
  std::vector<std::string> given;  ///< names of the cases that were not generated

  bool operator==(const GateQuestion&) const = default;
};

/// One kernel through the properties of one operation.
struct GateRecord {
  GateQuestion question;
  Shard shard;
  std::int64_t units = 0;       ///< of this shard
  std::int64_t units_done = 0;  ///< the first so many of them
  Coverage coverage;            ///< of the generated cases
  std::vector<PropertyRecord> properties;

  bool is_complete() const { return units_done == units; }
};

/// How many properties failed, or are not to be trusted.
int failures_of(const GateRecord& record);
int mistrusted_of(const GateRecord& record);

/// What a file holds: the runs of one command, kernel after kernel.
struct Report {
  std::string version = program_version();
  bool complete = false;  ///< nothing of the command, or of its shard, is left to be done
  std::vector<GateRecord> runs;
};

/// Exit status of `assay gate`: 0 where all passed, 1 where a property failed or is not to be trusted.
int exit_status(const Report& report);

/// Throws std::invalid_argument, naming what differs and both values, unless the two were asked the same.
/// `what` names the second: "shard-2.json".
void require_same_question(const GateQuestion& question, const GateQuestion& other, const std::string& what);

}  // namespace assay::validation
