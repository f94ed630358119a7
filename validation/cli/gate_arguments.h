// The options of `assay gate`, and the run of the gate that they ask for.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "validation/cli/data.h"
#include "validation/cli/device_options.h"
#include "validation/cli/read_input.h"
#include "validation/cli/report_options.h"
#include "validation/core/terminal.h"
#include "validation/report/run_gate.h"
#include "validation/report/shard.h"

namespace assay::validation {

struct GateArguments {
  std::string operation = "ctc";
  KernelChoice choice;
  std::string input;
  std::string filter;
  int cases = 200;
  std::uint64_t seed = 1;
  int digits = 50;
  double time_limit = 10;
  bool quick = false;
  bool thorough = false;
  std::string reach;  ///< empty: as the other options have it
  bool generated = false;
  bool algebra = false;
  std::string arithmetic;  ///< empty: IEEE
  bool explain = false;
  bool list = false;
  bool declarations = false;
  ReportFiles files;
  std::string resume;
};

/// The given cases: the user's batch alone, or real input and the sizes people train with.
template <class Operation>
std::vector<GivenCase> given_cases(const GateArguments& arguments) {
  std::FILE* const out = table_stream(arguments.files);
  std::vector<GivenCase> given;
  const auto read = [&](const std::string& path, InputOf whose) {
    NamedCase<Operation> one = read_input<Operation>(path, whose, out);
    given.push_back({std::move(one.name), std::move(one.problem)});
  };
  if (!arguments.input.empty()) {
    read(arguments.input, InputOf::user);
  } else if (!arguments.generated) {
    for (const char* const file : Operation::data_files) read(data_file(file), InputOf::program);
    if (arguments.quick) return given;
    for (GivenCase& sized : Operation::sized_cases()) given.push_back(std::move(sized));
  }
  return given;
}

inline Reach reach_of(const GateArguments& arguments) {
  for (const Reach reach : all_reaches)
    if (arguments.reach == name_of(reach)) return reach;
  if (arguments.generated) return usual_reach;
  if (!arguments.input.empty()) return Reach::none;
  return arguments.quick ? usual_reach : arguments.thorough ? Reach::thorough : Reach::full;
}

/// The words that ask for the same given cases and needle cases.
inline std::string words_of(const GateArguments& arguments) {
  std::string words = arguments.algebra ? "--algebra " : "";
  if (!arguments.reach.empty()) words += fmt::format("--reach {} ", arguments.reach);
  if (!arguments.input.empty()) words += fmt::format("--input '{}' ", arguments.input);
  return words + (arguments.generated  ? "--generated"
                  : arguments.quick    ? "--quick"
                  : arguments.thorough ? "--thorough"
                                       : "");
}

/// How many processes judge a kernel that can be forked: one for each core.
inline std::size_t processes_of_this_machine() {
  constexpr unsigned most = 8;  // each takes up to 150 MB
  return std::clamp(std::thread::hardware_concurrency(), 1U, most);
}

template <class Operation>
GateRun run_of(const GateArguments& arguments, bool cases_chosen) {
  GateRun run;
  run.filter = arguments.filter;
  run.digits = arguments.digits;
  run.options.seed = arguments.seed;
  run.options.cases = cases_chosen         ? arguments.cases
                      : arguments.quick    ? 40
                      : arguments.thorough ? 5000
                                           : arguments.cases;
  if (!arguments.input.empty() && !cases_chosen) run.options.cases = 0;
  run.options.given = given_cases<Operation>(arguments);
  run.options.reach = reach_of(arguments);
  run.words = words_of(arguments);
  run.processes = processes_of_this_machine();
  run.shard = shard_from_environment();
  return run;
}

}  // namespace assay::validation
