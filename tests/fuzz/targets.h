// What is fuzzed: each target gives a text to one of the readers of what users write.
//
// A reader may take any text or refuse it by std::invalid_argument or std::runtime_error. Any other exception, a crash,
// undefined behaviour or a hang is a fault. CONTRIBUTING.md says how to run the fuzzer; corpus_test.cpp gives each
// target its seeds, whole and damaged, in every run of the tests.
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation::fuzz {

struct Target {
  const char* name;
  void (*run)(const std::string& text);
  std::vector<std::string> (*seeds)();  ///< texts that the reader takes
};

std::span<const Target> targets();

/// Throws std::logic_error for a refusal that says nothing: that of a function of the standard library.
void require_words(std::string_view refusal);

/// Calls the reader, which may refuse.
template <class Read>
void may_refuse(const Read& read) try {
  read();
} catch (const std::invalid_argument& refusal) {
  require_words(refusal.what());
} catch (const std::runtime_error& refusal) {
  require_words(refusal.what());
}

/// A file of this process that holds the text, for readers of files.
std::filesystem::path file_of(const std::string& text);

std::string content_of(const std::filesystem::path& path);

// archives.cpp
void run_npz(const std::string& text);
std::vector<std::string> npz_seeds();
void run_npy(const std::string& text);
std::vector<std::string> npy_seeds();

// documents.cpp
void run_report(const std::string& text);
std::vector<std::string> report_seeds();
void run_binding(const std::string& text);
std::vector<std::string> binding_seeds();
void run_script(const std::string& text);
std::vector<std::string> script_seeds();
void run_steps(const std::string& text);
std::vector<std::string> steps_seeds();

// shaders.cpp
void run_translate(const std::string& text);
std::vector<std::string> translate_seeds();
void run_library(const std::string& text);
std::vector<std::string> library_seeds();
void run_allowances(const std::string& text);
std::vector<std::string> allowances_seeds();

// lines.cpp
void run_words(const std::string& text);
std::vector<std::string> words_seeds();
void run_formula(const std::string& text);
std::vector<std::string> formula_seeds();

}  // namespace assay::validation::fuzz
