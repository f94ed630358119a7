// assay gate: judges the shipped kernels, or one named kernel, by every property.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/math_mode.h"
#include "metal/system/system.h"
#include "validation/cli/commands.h"
#include "validation/cli/data.h"
#include "validation/cli/device_options.h"
#include "validation/cli/gate_table.h"
#include "validation/cli/interrupt.h"
#include "validation/cli/plugin_options.h"
#include "validation/cli/report_options.h"
#include "validation/cli/sharded_gate.h"
#include "validation/registry.h"
#include "validation/report/shard.h"
#include "validation/transport/declaration/keywords.h"
#include "validation/transport/pipe/kernel.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace assay::validation {
namespace {

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
  std::string arithmetic;  ///< empty: IEEE
  bool explain = false;
  bool list = false;
  bool declarations = false;
  ReportFiles files;
  std::string resume;
  int shards = 0;  ///< 0: this process judges
  std::string launcher;
};

template <class Operation>
int list_properties() {
  for (const auto& property : Operation::properties()) fmt::print("  {:<17} {}\n", property.name, property.claim);
  return 0;
}

template <class Operation>
int list_declarations() {
  fmt::print("{}\n", transport::keywords<Operation>().dump(2));
  return 0;
}

template <class Operation>
NamedCase<Operation> read_input(const std::filesystem::path& path, std::FILE* out) {
  std::vector<std::string> notes;
  NamedCase<Operation> given{path.filename().string(), Operation::read(path, notes), false};
  try {
    require_valid(given.problem);
  } catch (const std::invalid_argument& refusal) {
    const std::string advice =
        std::is_same_v<Operation, CtcOperation>
            ? fmt::format("\nassay: `assay diagnose {}` tells what is wrong with the batch", path.string())
            : "";
    throw std::runtime_error(fmt::format("{}: {}{}", given.name, refusal.what(), advice));
  }
  for (const auto& note : notes) fmt::print(out, "note: {}\n", note);
  return given;
}

/// The given cases: the user's batch alone, or real input and the sizes people train with.
template <class Operation>
std::vector<NamedCase<Operation>> given_cases(const GateArguments& arguments) {
  std::FILE* const out = table_stream(arguments.files);
  if (!arguments.input.empty()) return {read_input<Operation>(arguments.input, out)};
  std::vector<NamedCase<Operation>> given;
  if (arguments.generated) return given;
  for (const char* const file : Operation::data_files) given.push_back(read_input<Operation>(data_file(file), out));
  if (arguments.quick) return given;
  for (auto& sized : Operation::sized_cases()) given.push_back(std::move(sized));
  return given;
}

std::vector<std::string> reach_names() {
  std::vector<std::string> names;
  for (const Reach reach : all_reaches) names.emplace_back(name_of(reach));
  return names;
}

Reach reach_of(const GateArguments& arguments) {
  for (const Reach reach : all_reaches)
    if (arguments.reach == name_of(reach)) return reach;
  if (!arguments.input.empty() || arguments.generated) return Reach::none;
  return arguments.quick ? Reach::quick : arguments.thorough ? Reach::thorough : Reach::full;
}

/// The words that ask for the same given cases and needle cases.
std::string words_of(const GateArguments& arguments) {
  const std::string reach = arguments.reach.empty() ? "" : fmt::format("--reach {} ", arguments.reach);
  if (!arguments.input.empty()) return fmt::format("{}--input '{}'", reach, arguments.input);
  return reach + (arguments.generated  ? "--generated"
                  : arguments.quick    ? "--quick"
                  : arguments.thorough ? "--thorough"
                                       : "");
}

template <class Operation>
GateRun<Operation> run_of(const GateArguments& arguments, bool cases_chosen) {
  GateRun<Operation> run;
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
  if (!transport::is_pipe(arguments.choice.kernel)) run.fresh_kernel = kernel_called<Operation>;
  run.explains = arguments.explain || !arguments.arithmetic.empty();
  run.shard = shard_from_environment();
  return run;
}

/// How many processes judge the kernel: one for each core if it is a function of this program, which has no threads
/// before its first call.
std::size_t processes_for(const std::string& kernel) {
  constexpr unsigned most = 8;  // each takes up to 150 MB
  return kernel == "cpu" || kernel == "plain" ? std::clamp(std::thread::hardware_concurrency(), 1U, most) : 1;
}

/// The report of the run to resume, empty if there is none. Refuses a report of another version.
Report resumed_report(const GateArguments& arguments) {
  if (arguments.resume.empty()) return {};
  Report report = read_report(arguments.resume);
  if (report.version != program_version()) {
    throw std::invalid_argument(fmt::format("{}: written by assay {}, and this is {}: its cases may differ",
                                            arguments.resume, report.version, program_version()));
  }
  return report;
}

/// Keeps the process small. Needle cases fill a band of a large table, of which a kernel's advice to use huge pages
/// would make the whole resident; plug-ins' processes inherit this. Arrays of more than 32 MiB, of many threads too, go
/// back when freed; smaller ones are kept for the next case, since touching new pages took a quarter of the run.
void save_memory() {
  metal::system::refuse_huge_pages();
#if defined(__GLIBC__)
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 1 << 25);
  mallopt(M_TRIM_THRESHOLD, 1 << 26);
#endif
}

/// Gives back what large cases left on the heap, if it is much: the next cases use it again.
void return_free_memory() {
#if defined(__GLIBC__)
  constexpr std::size_t much = std::size_t{1} << 26;
  if (mallinfo2().fordblks > much) malloc_trim(0);
#endif
}

/// The runs of one command, with their report and table.
class GateSession {
 public:
  explicit GateSession(const GateArguments& arguments)
      : arguments_(arguments), resumed_(resumed_report(arguments)), checkpoint_(json_file()) {
    require_folders(files());
  }

  template <class Operation>
  int judge(GateRun<Operation> run, const std::vector<std::string>& kernels) {
    if (resumed_.runs.size() > kernels.size()) {
      throw std::invalid_argument(
          fmt::format("{}: has runs of {} kernels, and {} are to be judged: give the same --kernel", arguments_.resume,
                      resumed_.runs.size(), kernels.size()));
    }
    for (const auto& name : kernels) {
      run.processes = processes_for(name);
      judge_kernel(*kernel_called<Operation>(name), run);
      if (!report_.runs.back().is_complete()) return stop_early();
    }
    report_.complete = true;
    if (!arguments_.arithmetic.empty()) GateTable(table_stream(arguments_.files)).arithmetics(report_);
    write_report(report_, files());
    return exit_status(report_);
  }

 private:
  /// A resumed run is written to the file that it was read from, unless --json names another.
  std::string json_file() const { return arguments_.files.json.empty() ? arguments_.resume : arguments_.files.json; }
  ReportFiles files() const { return {json_file(), arguments_.files.junit, arguments_.files.html}; }

  template <class Operation>
  void judge_kernel(const typename Operation::Kernel& kernel, const GateRun<Operation>& run) {
    const std::size_t number = report_.runs.size();
    std::optional<GateRecord> resumed;
    if (number < resumed_.runs.size()) resumed = resumed_.runs[number];
    GateTable table(table_stream(arguments_.files));
    GateWatch watch = table.watch(Interrupt::came);
    watch.advances = [&](const GateRecord& record) {
      return_free_memory();
      if (!checkpoint_.is_due()) return;
      Report report = report_;
      report.runs.push_back(record);
      checkpoint_.write(report);
    };
    report_.runs.push_back(run_gate(kernel, run, watch, std::move(resumed)));
    table.conclusion(report_.runs.back());
  }

  int stop_early() const {
    write_report(report_, files());
    const GateRecord& run = report_.runs.back();
    const auto advice = json_file().empty() || json_file() == "-"
                            ? std::string("with --json FILE, a run can be resumed")
                            : fmt::format("to go on, repeat the command with --resume {}", json_file());
    fmt::print(stderr, "assay gate: interrupted with {} of {} units of {} done; {}\n", run.units_done, run.units,
               run.question.kernel, advice);
    return interrupted_status;
  }

  const GateArguments& arguments_;
  Interrupt interrupt_;
  Report report_;
  Report resumed_;
  Checkpoint checkpoint_;
};

/// The kernel that was asked for, or the shipped ones. Without clang those for the emulator cannot be compiled.
template <class Operation>
std::vector<std::string> chosen_kernels(const GateArguments& arguments) {
  if (!arguments.arithmetic.empty()) return arguments.choice.names_in(arguments.arithmetic);
  const std::string name = arguments.choice.name();
  if (!name.empty()) return {name};
  std::vector<std::string> kernels = Operation::shipped_kernels();
  const auto clang = metal::emulator::find_clang();
  if (!clang && std::erase(kernels, "metal-emulated") > 0)
    fmt::print(stderr, "note: metal-emulated is not judged: {}\n", clang.error().text);
  return kernels;
}

template <class Operation>
int judge_kernels(const GateArguments& arguments, bool cases_chosen) {
  const auto kernels = chosen_kernels<Operation>(arguments);
  transport::set_time_limit(arguments.time_limit);
  save_memory();
  return GateSession(arguments).judge(run_of<Operation>(arguments, cases_chosen), kernels);
}

/// The words of the command line, but for those of reports and shards.
std::vector<std::string> words_of_shards(const CLI::App& gate, const std::string& operation) {
  static const std::set<std::string> own = {"json", "junit", "html", "resume", "shards", "launcher"};
  std::vector<std::string> words = {"gate", operation};
  for (const CLI::Option* const option : gate.get_options()) {
    if (option->count() == 0 || option->get_positional() || own.contains(option->get_single_name())) continue;
    if (option->get_items_expected_max() == 0) words.push_back(option->get_name());
    for (std::size_t i = 0; option->get_items_expected_max() > 0 && i < option->results().size(); ++i)
      words.push_back(fmt::format("{}={}", option->get_name(), option->results()[i]));
  }
  return words;
}

}  // namespace

void add_gate_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<GateArguments>();
  auto* gate = app.add_subcommand("gate", "Judge kernels by every property, on generated cases and real input");
  gate->footer("Ctrl-C and SIGTERM end a run after the current case, and keep the results so far.");
  gate->add_option("operation", arguments->operation, "What to judge")
      ->check(CLI::IsMember(operation_names()))
      ->capture_default_str();
  add_kernel_options(*gate, arguments->choice, "the shipped kernels");
  gate->add_option("--input", arguments->input, "Judge on this batch (.npz) instead of the built-in ones")
      ->check(CLI::ExistingFile);
  auto* cases = gate->add_option("--cases", arguments->cases, "Generated cases for each property")
                    ->check(CLI::Range(0, 100'000'000))
                    ->capture_default_str();
  gate->add_option("--seed", arguments->seed, "Seed of the generated cases")->capture_default_str();
  gate->add_option("--digits", arguments->digits, "Decimal digits of the reference")
      ->check(CLI::Range(30, 10'000))
      ->capture_default_str();
  gate->add_option("--filter", arguments->filter, "Only properties whose name matches this regular expression");
  add_time_limit(*gate, arguments->time_limit);
  auto* quick =
      gate->add_flag("--quick", arguments->quick, "40 cases for each property and few large sizes: ten seconds");
  gate->add_flag("--thorough", arguments->thorough, "5000 cases and all large sizes for each property: a run overnight")
      ->excludes(quick);
  gate->add_option("--reach", arguments->reach, "Cases of one large extent: none, quick, full or thorough")
      ->check(CLI::IsMember(reach_names()));
  add_report_options(*gate, arguments->files);
  gate->add_option("--resume", arguments->resume, "Continue the run of this JSON report, and update the report");
  auto* shards = gate->add_option("--shards", arguments->shards, "Judge in so many processes at a time")
                     ->check(CLI::Range(1, 1'000'000));
  gate->add_option("--launcher", arguments->launcher, "What starts a shard's process, elsewhere perhaps: 'srun -n1'")
      ->needs(shards);
  gate->add_flag("--generated", arguments->generated, "Only generated cases: no real input, no large sizes");
  std::vector<std::string> arithmetics(metal::emulator::math_mode_names.begin(),
                                       metal::emulator::math_mode_names.end());
  arithmetics.emplace_back("all");
  gate->add_option(
          "--arithmetic", arguments->arithmetic,
          "Compute a shader with the worst roundings that a mode of Metal's compiler permits, on the emulator: "
          "safe, relaxed, fast or all; with --explain")
      ->check(CLI::IsMember(arithmetics));
  gate->add_flag(
      "--explain", arguments->explain,
      "Follow the operations of a shader, or of an instrumented plug-in, on a failing case: what made the NaN, "
      "which lines lost the digits");
  gate->add_flag("--list", arguments->list, "List the properties and stop");
  gate->add_flag("--declarations", arguments->declarations, "Print what a kernel may declare, as JSON, and stop");
  gate->callback([&action, arguments, cases, gate] {
    action = [arguments, cases, words = words_of_shards(*gate, arguments->operation)] {
      return with_operation(arguments->operation, [&]<class Operation>(Operation) {
        if (arguments->list) return list_properties<Operation>();
        if (arguments->declarations) return list_declarations<Operation>();
        if (arguments->shards > 0)
          return judge_in_shards({arguments->shards, arguments->launcher, words, arguments->files, arguments->resume});
        return judge_kernels<Operation>(*arguments, cases->count() > 0);
      });
    };
  });
}

}  // namespace assay::validation
