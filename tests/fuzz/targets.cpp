#include "tests/fuzz/targets.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace assay::validation::fuzz {
namespace {

constexpr Target all[] = {
    {"npz", run_npz, npz_seeds},
    {"npy", run_npy, npy_seeds},
    {"report", run_report, report_seeds},
    {"binding", run_binding, binding_seeds},
    {"script", run_script, script_seeds},
    {"steps", run_steps, steps_seeds},
    {"translate", run_translate, translate_seeds},
    {"library", run_library, library_seeds},
    {"allowances", run_allowances, allowances_seeds},
    {"words", run_words, words_seeds},
    {"formula", run_formula, formula_seeds},
};

}  // namespace

std::span<const Target> targets() {
  return all;
}

void require_words(std::string_view refusal) {
  if (refusal.find(' ') == std::string_view::npos)
    throw std::logic_error("a refusal without words: " + std::string(refusal));
}

std::filesystem::path file_of(const std::string& text) {
  static const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("assay-fuzz-" + std::to_string(getpid()));
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string content_of(const std::filesystem::path& path) {
  return (std::ostringstream() << std::ifstream(path, std::ios::binary).rdbuf()).str();
}

}  // namespace assay::validation::fuzz
