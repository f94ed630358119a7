// Runs the built program in a folder of its own, as a shell would.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

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

/// `text` with the first `from` replaced by `to`.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  if (at == std::string::npos) {
    ADD_FAILURE() << "no '" << from << "' in " << text;
    return text;
  }
  return text.replace(at, from.size(), to);
}

}  // namespace assay::validation
