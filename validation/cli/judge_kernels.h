// What `assay gate` does once its words are understood.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "validation/cli/gate_arguments.h"
#include "validation/cli/gate_session.h"
#include "validation/cli/process_memory.h"
#include "validation/core/terminal.h"

namespace assay::validation {

/// Judges the kernels of the operation, and says how to judge the one that takes longer. Returns the exit status.
template <class Operation>
int judge_kernels(const GateArguments& arguments, const GateRun& run, const std::vector<std::string>& kernels,
                  const GateSession::SubjectCalled& subject_called) {
  save_memory();
  const int status = GateSession(arguments).judge(run, kernels, subject_called);
  if (arguments.choice.kernel.empty() && kernels.front() == "cpu" && shard_from_environment() == Shard{})
    tell(stderr, "note: the kernel in Metal takes minutes on the emulator: assay gate {} --kernel metal-emulated\n",
         Operation::name);
  return status;
}

}  // namespace assay::validation
