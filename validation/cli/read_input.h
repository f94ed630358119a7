// The user's batch as a case to judge, with notes on what was changed in reading it, and on what may not be meant.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "validation/core/any_case.h"
#include "validation/core/terminal.h"
#include "validation/ctc/diagnosis/advice.h"
#include "validation/ctc/operation.h"

namespace assay::validation {

/// A file that comes with the program, whose notes nobody needs, or the user's.
enum class InputOf { program, user };

template <class Operation>
NamedCase<Operation> read_input(const std::filesystem::path& path, InputOf whose, std::FILE* out) {
  constexpr bool is_ctc = std::is_same_v<Operation, CtcOperation>;
  std::vector<std::string> notes;
  NamedCase<Operation> given{path.filename().string(), Operation::read(path, notes)};
  try {
    require_valid(given.problem);
  } catch (const std::invalid_argument& refusal) {
    const std::string advice =
        is_ctc ? fmt::format("\nassay: `assay diagnose {}` tells what is wrong with the batch", path.string()) : "";
    throw std::runtime_error(fmt::format("{}: {}{}", given.name, refusal.what(), advice));
  }
  if constexpr (is_ctc)
    if (whose == InputOf::user)
      for (std::string& note : notes_on_activations(given.problem)) notes.push_back(std::move(note));
  for (const auto& note : notes) tell(out, "note: {}\n", note);
  return given;
}

}  // namespace assay::validation
