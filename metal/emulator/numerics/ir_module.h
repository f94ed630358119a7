// A whole module, as instrumentation needs it: the places its instructions come from, and its functions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::ir {

struct SourceLine {
  std::string file;
  std::uint32_t line = 0, column = 0;
  auto operator<=>(const SourceLine&) const = default;
};

struct DefinedFunction {
  Call signature;
  bool is_own = false;      ///< its operations belong to the line that calls it
  bool is_skipped = false;  ///< a hook
};

class Module {
 public:
  /// `text` must outlive it. Functions of files for which `is_own` says so are own ones, and so are those without debug
  /// information. Of a part of a library, functions that are not defined here may be instrumented elsewhere.
  Module(std::string_view text, const std::function<bool(const std::string& file)>& is_own, bool is_part = false);

  /// An invoke is one, although it is written on two.
  const std::vector<std::string_view>& lines() const { return lines_; }
  /// Null if the function is not defined here.
  const DefinedFunction* function(std::string_view name) const;
  /// Whether the callee, of which an empty name stands for a call through a pointer, may return an entry.
  bool may_be_instrumented(std::string_view name) const;
  bool is_part() const { return is_part_; }
  /// The source line of a location, for example "!7". Line 0 if there is none.
  SourceLine source_of(std::string_view debug) const;

 private:
  void read_metadata();
  void read_functions(const std::function<bool(const std::string& file)>& is_own);
  std::string file_of(std::string_view scope) const;

  bool is_part_;
  std::vector<std::string_view> lines_;
  std::map<std::string_view, std::string_view> metadata_;  ///< "!7", and what it is
  std::map<std::string_view, DefinedFunction> functions_;
};

}  // namespace assay::metal::emulator::ir
