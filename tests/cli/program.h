// Runs the built program in a folder of its own, as a shell would.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/matchers.h"
#include "tests/replaced.h"

namespace assay::validation {

struct Outcome {
  int status = -1;  ///< exit status; 128 and more for a signal
  std::string out;
  std::string err;
};

class Program : public testing::Test {
 protected:
  Program() {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-cli-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Program() override { std::filesystem::remove_all(folder_); }

  /// `arguments` is what a user types after "assay".
  Outcome run(const std::string& arguments) const { return shell("'" ASSAY_PROGRAM "' " + arguments); }

  /// Any command of a shell.
  Outcome shell(const std::string& command) const {
    const auto err = folder_ / "stderr.txt";
    const std::string in_folder =
        "cd '" + folder_.string() + "' && { " + command + "\n} 2>'" + err.string() + "' </dev/null";
    Outcome outcome;
    std::FILE* pipe = popen(in_folder.c_str(), "r");
    std::array<char, 4096> buffer{};
    while (const auto count = std::fread(buffer.data(), 1, buffer.size(), pipe))
      outcome.out.append(buffer.data(), count);
    const int status = pclose(pipe);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    outcome.err = (std::ostringstream() << std::ifstream(err).rdbuf()).str();
    return outcome;
  }

  /// A usage that is refused: by status 2, and by these words on stderr.
  void expect_refused(const std::string& arguments, const std::string& says) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.out;
    EXPECT_THAT(outcome.err, HasSubstr(says)) << arguments;
  }

  /// A file of the program's folder.
  nlohmann::json json(const std::string& name) const { return nlohmann::json::parse(std::ifstream(folder_ / name)); }

  /// A file in the program's folder.
  void write(const std::filesystem::path& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }

  static std::string data(const std::string& name) { return "'" ASSAY_DATA_DIR "/" + name + "'"; }

  /// What follows "./assay " in the lines that reproduce failures.
  static std::vector<std::string> replay_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      const auto at = line.find("./assay replay '");
      if (at != std::string::npos) lines.push_back(line.substr(at + std::string("./assay ").size()));
    }
    return lines;
  }

  std::filesystem::path folder_;
};

}  // namespace assay::validation
