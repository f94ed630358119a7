// Runs the gate: one kernel through all properties, or through a shard of the work on them, into a record.
//
// The units of work (validation/core/gate.h) are numbered over all properties. The result of a unit is added to the
// record as soon as the unit is done, so a run of any length takes bounded memory and can be stopped and resumed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "validation/core/gate.h"
#include "validation/report/record.h"

namespace assay::validation {

struct GateRun {
  GateOptions options;
  std::string filter;  ///< a regular expression, searched for in a property's name; empty matches all
  int digits = 50;
  Shard shard = {};
  std::string fingerprint = {};  ///< of the kernel's file
  std::string words = {};        ///< the options of `assay gate` that give the same cases again: "--quick"
  Why (*why)(const GateSubject& subject, std::size_t property,
             const AnyCase& c) = nullptr;  ///< of a failure; or why_of
  double seconds = 0;         ///< of which each unit gets its share, and is mistrusted where that ends; 0: no limit
  std::size_t processes = 1;  ///< how many judge at a time, unless this is a shard or the kernel cannot be forked
};

/// Callbacks that follow a run. An empty one is not called.
struct GateWatch {
  std::function<void(const GateRecord&)> begins = {};
  /// Called before each case; `done` counts the finished properties, and the finished share of the current one.
  std::function<void(double done, const std::string& property)> progress = {};
  std::function<void(const PropertyRecord&)> judged = {};  ///< a property is finished, here or in the resumed run
  std::function<void(const GateRecord&)> advances = {};    ///< a unit is finished
  Stop stop = {};  ///< asked before each case; true ends the run and drops the unit that is not finished
};

/// Judges the kernel by the properties that the filter matches, or resumes `resumed` after its finished units.
/// Throws std::invalid_argument if no property matches, or if `resumed` is the record of another run.
GateRecord run_gate(const GateSubject& subject, const GateRun& run, const GateWatch& watch = {},
                    std::optional<GateRecord> resumed = std::nullopt);

}  // namespace assay::validation
