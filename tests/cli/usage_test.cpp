// Help is help, with status 0; what cannot be understood is said on stderr, with status 2.
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

class Usage : public Program {};

TEST_F(Usage, HelpsWithTheProgramAndEachOfItsCommands) {
  const Outcome all = run("--help");
  EXPECT_EQ(all.status, 0);
  for (const std::string command : {"gate", "replay", "mutants", "diagnose", "lattice", "metal"}) {
    EXPECT_THAT(all.out, HasSubstr(command));
    const Outcome one = run(command + " --help");
    EXPECT_EQ(one.status, 0) << command;
    EXPECT_THAT(one.out, HasSubstr("Usage: assay " + command));
    EXPECT_THAT(one.err, IsEmpty()) << command;
  }
  EXPECT_THAT(
      all.out,
      HasSubstr("Exit status: 0 all passed, 1 something failed, 2 bad usage, or output that cannot be written."));
}

TEST_F(Usage, SaysTheVersion) {
  const Outcome said = run("--version");
  EXPECT_EQ(said.status, 0);
  EXPECT_THAT(said.out, ContainsRegex("^assay [0-9]+\\.[0-9]+\\.[0-9]+\n$"));
  EXPECT_THAT(said.err, IsEmpty());
}

TEST_F(Usage, IsBadWithStatus2AndAWordOnStderr) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "subcommand"},
      {"judge", "subcommand"},
      {"gate --unknown", "--unknown"},
      {"gate --arithmetic exact", "--arithmetic"},
      {"gate --arithmetic all --kernel cpu", "--arithmetic all: kernel 'cpu' does not run on the emulator"},
      {"gate --arithmetic fast --device nvidia", "kernel '' on nvidia does not run on the emulator"},
      {"gate svm", "svm"},
      {"gate --kernel gpu", "kernel 'gpu' is unknown"},
      {"gate --kernel fault:", "is unknown"},
      {"gate --filter no-such-property", "no property matches"},
      {"gate --filter '('", "filter = '(': expected a regular expression"},
      {"gate --cases -1", "--cases"},
      {"gate --cases many", "--cases"},
      {"gate --digits 10", "--digits"},
      {"gate --seed x", "--seed: x: expected a whole number from 0 to 2^64 - 1"},
      {"gate --seed -1", "--seed: -1: expected a whole number from 0 to 2^64 - 1"},
      {"gate --seed 1e3", "--seed: 1e3: expected a whole number from 0 to 2^64 - 1"},
      {"gate --seed 18446744073709551616", "--seed: 18446744073709551616: expected a whole number from 0 to 2^64 - 1"},
      {"gradcheck ctc --seed 0x10", "--seed: 0x10: expected a whole number from 0 to 2^64 - 1"},
      {"mutants --seed 18446744073709551616", "--seed: 18446744073709551616: expected a whole number"},
      {"gate --input nowhere.npz", "nowhere.npz"},
      {"replay", "line"},
      {"replay x", "'x': expected key=value"},
      {"replay 'property=loss kernel=cpu'", "'T=' is missing"},
      {"mutants --cases 0", "--cases"},
      {"mutants --filter no-such-fault", "no fault matches"},
      {"diagnose", "batch"},
      {"diagnose --digits 0 x.npz", "--digits"},
  };
  for (const auto& [arguments, says] : bad) expect_refused(arguments, says);
}

/// The options with a value that the help of a command lists.
std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> names;
  const std::regex option("(--[a-z-]+) (TEXT|FLOAT|INT|UINT|ENUM)");
  for (std::sregex_iterator one(help.begin(), help.end(), option), end; one != end; ++one) names.push_back((*one)[1]);
  return names;
}

TEST_F(Usage, RefusesAnEmptyValueOfEachOption) {
  for (const std::string command : {"gate", "merge", "replay", "mutants", "gradcheck", "diagnose", "lattice",
                                    "metal check", "metal run", "metal lint", "metal sweep"}) {
    const std::vector<std::string> options = options_in(run(command + " --help").out);
    EXPECT_THAT(options, Not(IsEmpty())) << command;
    for (const std::string& option : options)
      if (option != "--word") expect_refused(command + " " + option + " ''", option);
  }
  expect_refused("gate svd --kernel ''",
                 "--kernel '': expected a value (cpu, metal, metal-plain, plain, fault:NAME, or a path");
  expect_refused("gradcheck svd --kernel ''", "--kernel '': expected a value (cpu, ");
  expect_refused("metal check k.metal --suppress ''", "--suppress '': expected a value (A file");
  expect_refused("metal check k.metal -D ''", "--define '': expected a value (A macro");
}

TEST_F(Usage, ColoursNothingThatIsNotATerminal) {
  for (const std::string arguments :
       {"gate --quick --reach none --cases 5 --filter loss",
        "gate --quick --reach none --cases 5 --kernel fault:best-path", "mutants --filter best-path"}) {
    const Outcome outcome = run(arguments);
    EXPECT_THAT(outcome.out, Not(HasSubstr("\033"))) << arguments;
    EXPECT_THAT(outcome.err, Not(ContainsRegex("[\r\033]"))) << "no progress bar in a file: " << arguments;
  }
}

}  // namespace
}  // namespace assay::validation
