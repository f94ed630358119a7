// The record of a gate run, for any operation, as plain data. Reports are written, merged and resumed from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "validation/core/coverage.h"
#include "validation/core/picture.h"
#include "validation/core/summary.h"
#include "validation/core/why.h"

namespace assay::validation {

// The format's name and version, written into every report. A reader refuses all others.
inline constexpr const char* report_name = "assay gate report";
inline constexpr int report_format = 1;

/// The version of Assay. Reports of different versions are neither merged nor resumed, because their cases may differ.
std::string program_version();

struct FailureRecord {
  std::int64_t unit = 0;    ///< the unit of the property in which the failure was met
  std::string origin;       ///< "generated, shrunk in 12 steps" or the name of the given case
  std::string explanation;  ///< what was expected, what came, where
  std::string reproducer;   ///< ./assay replay '...', or ./assay gate ... where the case alone passes
  std::vector<Picture> pictures;
  Margin margin = {};            ///< the worst error of the case
  Margin first_margin = {};      ///< the worst error of the case as first met, before shrinking
  Why why = {};                  ///< empty unless --explain asked for it
  std::string usual_cause = {};  ///< empty where none is known
};

struct PropertyRecord : PropertySummary {
  std::optional<FailureRecord> failure;

  /// Adds the record of later cases of the property, which has not failed before, and settles the verdict.
  void merge(const PropertyRecord& other);
};

/// The part of a run that one process does: every `total`-th unit, from `index` on.
struct Shard {
  std::int64_t index = 0;
  std::int64_t total = 1;

  bool has(std::int64_t unit) const { return unit % total == index; }
  bool operator==(const Shard&) const = default;
};

/// The record of a property before its first case.
PropertyRecord unjudged(const std::string& property, const std::string& claim, bool is_far = false,
                        bool has_many_rows = false);

/// The question that a run answers: what it judges, and on which cases.
struct GateQuestion {
  std::string operation;  ///< "ctc"
  std::string kernel;     ///< the kernel's name
  int cases = 0;          ///< generated cases for each property
  std::uint64_t seed = 1;
  int digits = 50;
  std::string filter;              ///< regular expression of the properties' names; empty: all
  std::vector<std::string> given;  ///< names of the cases that were not generated
  Reach reach = Reach::none;       ///< of the needle cases
  std::string fingerprint = {};    ///< of the kernel's file (core/fingerprint.h); empty without one

  bool operator==(const GateQuestion&) const = default;
};

/// The command that asks the question again, with another filter and with `words`, the options that give the same
/// cases: only the calls in their order lead to some failures.
std::string gate_line(const GateQuestion& asked, const std::string& filter, const std::string& words);

/// The result of one unit; units are numbered over all properties.
struct UnitRecord {
  std::int64_t unit = 0;
  PropertyRecord result;
  Coverage coverage;
};

/// One kernel through the properties of one operation.
struct GateRecord {
  GateQuestion question;
  Shard shard;
  std::int64_t units = 0;       ///< units of this shard
  std::int64_t units_done = 0;  ///< how many of these units are done, in order
  Coverage coverage;            ///< of the generated cases
  std::vector<PropertyRecord> properties;
  std::vector<UnitRecord> judged = {};  ///< each unit of a shard, for the merge; empty otherwise
  /// The share of drawn cases that the kernel's sizes and values allow (GateSubject); 1 until a run ends without failures.
  double claimed = 1;
  std::map<std::string, std::int64_t> narrow = {};  ///< the extents that the kernel declares to be small (GateSubject)

  /// Adds a unit, unless its property failed in an earlier one.
  void add(const UnitRecord& one);

  /// Whether the unit, of a run that is no shard, is that of many rows, which take long, after few rows were found wrong:
  /// they would tell nothing new.
  bool spares(std::int64_t unit) const;
  /// The result of such a unit.
  UnitRecord spared(std::int64_t unit) const;

  bool is_complete() const { return units_done == units; }
};

/// How many properties failed, and how many are mistrusted.
int failures_of(const GateRecord& record);
int mistrusted_of(const GateRecord& record);

/// Whether a run, not a shard, has judged no case. Then no property failed, and the kernel has passed nothing.
bool judged_nothing(const GateRecord& record);

/// Why a run proves nothing in which no property failed, whatever the verdicts are; empty where it proves something. A
/// shard may be proven by the others.
std::string why_mistrusted(const GateRecord& record);

/// What to do where nothing was judged.
inline constexpr const char* advice_on_nothing =
    "nothing was judged, which is no pass: ask for cases (by cases, reach or input) that the kernel claims to do, of "
    "properties (by filter) that apply to them";

/// The content of a report file: the runs of one command, one for each kernel.
struct Report {
  std::string version = program_version();
  bool complete = false;  ///< true once all units of the command, or of its shard, are done
  std::vector<GateRecord> runs;
};

/// The exit status of `assay gate`: 0 if all properties passed, 1 if one failed or is mistrusted, or a run judged
/// or proves nothing.
int exit_status(const Report& report);

/// Throws std::invalid_argument, naming the field that differs and both values, unless the questions are equal.
/// `what` names the source of `other`: "shard-2.json".
void require_same_question(const GateQuestion& question, const GateQuestion& other, const std::string& what);

}  // namespace assay::validation
