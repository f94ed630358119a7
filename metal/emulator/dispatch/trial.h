// A checked dispatch on one or more OS threads, for dispatches in which nothing is to be found.
//
// Each OS thread takes groups, and has a checker whose record of accesses knows only these groups. In the end the
// records are compared: no byte may have been written by one OS thread and accessed by another. So what the groups did
// cannot depend on which ran first, and one OS thread would have had the same results, and no reports. If a check finds
// anything, or if a kernel does what only an order of groups decides (atomic functions on device memory, fences,
// messages), the trial has failed. Memory is then as it was before, and one OS thread runs the dispatch: its reports
// are the dispatch's.
//
// A trial needs no record of reads of memory that the kernel takes as `const`, since a write there ends it. So it is
// faster on one OS thread too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "metal/emulator/check/checker.h"
#include "metal/emulator/check/report_log.h"
#include "metal/emulator/dispatch/group_runner.h"
#include "metal/emulator/dispatch/launch.h"
#include "metal/emulator/memory/zeroed_pages.h"

namespace assay::metal::emulator {

class Trial {
 public:
  Trial(std::shared_ptr<Arena> arena, GroupOptions options, Checks checks, bool flushes_subnormals);

  /// Runs the dispatch on up to `os_threads` OS threads. Returns whether that was all: else memory is as before.
  bool run(Launch& launch, std::size_t os_threads);

 private:
  struct Worker {
    Worker(const std::shared_ptr<Arena>& arena, ReportLog& log, GroupOptions options, Checks checks, std::size_t record)
        : checker(log, checks, record), runner(arena, log, options) {}
    Checker checker;
    GroupRunner runner;
    DispatchInfo info;
  };
  struct Saved {
    Allocation* allocation;
    ZeroedPages<std::byte> contents;
  };

  bool is_worthwhile(const Launch& launch) const;
  bool run_groups(const Launch& launch, std::size_t count);
  bool keep_records(const std::vector<Allocation*>& memory, std::size_t count) const;

  std::shared_ptr<Arena> arena_;
  GroupOptions options_;
  Checks checks_;
  bool flushes_subnormals_;
  ReportLog log_;  ///< what the trial found
  std::vector<std::unique_ptr<Worker>> workers_;
  std::set<void (*)(const abi::Invocation*)> failed_;  ///< the kernels of which no other trial is made
};

}  // namespace assay::metal::emulator
