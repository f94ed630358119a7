#include "validation/transport/library/instrument.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

#include "metal/device/or_throw.h"
#include "metal/device/read_file.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "metal/emulator/numerics/instrument.h"
#include "validation/core/terminal.h"

namespace assay::validation::transport {
namespace {

namespace fs = std::filesystem;
using metal::or_throw;
using metal::emulator::ChildLimits;
using metal::emulator::Clang;
using metal::emulator::clang_at;
using metal::emulator::TemporaryFolder;
using Words = std::vector<std::string>;

bool is_source(const std::string& word) {
  static constexpr std::array<std::string_view, 7> endings = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP"};
  return !word.starts_with('-') && std::ranges::find(endings, fs::path(word).extension().string()) != endings.end();
}

/// Options whose value is the next word.
bool has_value(const std::string& word) {
  static constexpr std::array<std::string_view, 17> options = {
      "-o",  "-I", "-D", "-U",      "-isystem", "-iquote", "-include", "-MF",    "-MT",
      "-MQ", "-L", "-l", "-Xclang", "-Xlinker", "-mllvm",  "-arch",    "-target"};
  return std::ranges::find(options, word) != options.end();
}

void expect_compilable(const Words& command) {
  if (command.empty())
    throw std::invalid_argument("instrument: expected a compiler's command line, as clang++ -shared mine.cpp");
  for (const std::string& word : command)
    for (const char* const refused : {"-x", "-E", "-S", "-emit-llvm", "-fsyntax-only"})
      if (word == refused)
        throw std::invalid_argument(
            fmt::format("instrument: '{}' is not possible; expected a command line that makes objects or a library of "
                        "sources with the names *.c, *.cc or *.cpp",
                        word));
}

/// The numbers of the words that are sources.
std::vector<std::size_t> sources_of(const Words& command) {
  std::vector<std::size_t> sources;
  for (std::size_t n = 1; n < command.size(); ++n)
    if (has_value(command[n]))
      ++n;
    else if (is_source(command[n]))
      sources.push_back(n);
  return sources;
}

bool has(const Words& command, std::initializer_list<std::string_view> options) {
  return std::ranges::find_first_of(command, options) != command.end();
}

/// The names of a rule for make as clang chooses them for an object, which is not what it writes of a source here.
Words dependencies_of(const Words& command, const std::string& source) {
  if (!has(command, {"-MD", "-MMD"})) return {};
  const auto o = std::ranges::find(command, "-o");
  const bool is_named = o != command.end() && o + 1 != command.end();
  fs::path object = is_named ? fs::path(*(o + 1)) : fs::path(source).filename().replace_extension(".o");
  Words words;
  if (!has(command, {"-MT", "-MQ"})) words = {"-MT", object.string()};
  if (!has(command, {"-MF"})) words.insert(words.end(), {"-MF", object.replace_extension(".d").string()});
  return words;
}

/// The words that make LLVM's text of one source: all that say how to compile, and none of other inputs and outputs.
Words to_text(const Words& command, const std::string& source, const fs::path& output) {
  const fs::path hooks = or_throw(metal::emulator::find_shader_headers()) / "assay/library_numerics.h";
  Words words = {"-include", hooks.string()};
  for (std::size_t n = 1; n < command.size(); ++n) {
    const std::string& word = command[n];
    const bool is_option = word.starts_with('-') && !word.starts_with("-o") && word != "-c";
    if (is_option) words.push_back(word);
    if (has_value(word) && ++n < command.size() && is_option) words.push_back(command[n]);
  }
  const Words own = {"-S",
                     "-emit-llvm",
                     "-Xclang",
                     "-disable-llvm-passes",
                     "-fno-discard-value-names",
                     "-fno-lto",
                     "-g1",
                     "-Qunused-arguments",
                     source,
                     "-o",
                     output.string()};
  words.insert(words.end(), own.begin(), own.end());
  const Words dependencies = dependencies_of(command, source);
  words.insert(words.end(), dependencies.begin(), dependencies.end());
  return words;
}

int run(const Clang& clang, const Words& words, const fs::path& work) {
  const auto ended = or_throw(run_clang(clang, words, "/dev/null", work / "output", ChildLimits()));
  tell(stderr, "{}", ended.messages);
  return ended.status;
}

/// Compiles a source to a file of the same name, which clang's default for an output derives from.
int instrument(const Clang& clang, const Words& command, std::string& source, const fs::path& work) {
  fs::create_directories(work);
  const fs::path text = (work / fs::path(source).filename()).replace_extension(".ll");
  if (const int status = run(clang, to_text(command, source, text), work); status != 0) return status;
  const auto stated = or_throw(metal::emulator::stated_functions(or_throw(metal::read_file(source))));
  const std::string instrumented =
      metal::emulator::instrument_library_numerics(or_throw(metal::read_file(text)), stated);
  or_throw(metal::emulator::write_file(text, instrumented));
  source = text.string();
  return 0;
}

}  // namespace

int compile_instrumented(const std::vector<std::string>& command) {
  expect_compilable(command);
  const Clang clang = or_throw(clang_at(command[0]));
  const auto work = or_throw(metal::emulator::temporary_files().and_then(TemporaryFolder::make));
  Words words = command;
  for (const std::size_t n : sources_of(command))
    if (const int status = instrument(clang, command, words[n], work.path() / std::to_string(n)); status != 0)
      return status;
  words.erase(words.begin());
  words.insert(words.end(), {"-Qunused-arguments", "-Wno-override-module"});
  return run(clang, words, work.path());
}

}  // namespace assay::validation::transport
