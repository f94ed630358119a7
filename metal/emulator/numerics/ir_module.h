// What instrumentation needs to know of a whole module: where its instructions come from, and which functions it has.
#pragma once

#include <cstdint>
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
  bool is_own = false;      ///< the emulator's: its operations belong to the line that calls it
  bool is_skipped = false;  ///< a hook
};

class Module {
 public:
  /// `text` must outlive it. Functions of files in the folder `headers` are the emulator's own, and so are those
  /// without debug information.
  Module(std::string_view text, const std::string& headers);

  const std::vector<std::string_view>& lines() const { return lines_; }
  /// Null if the function is not defined here.
  const DefinedFunction* function(std::string_view name) const;
  /// The source line of a location, for example "!7". Line 0 if there is none.
  SourceLine source_of(std::string_view debug) const;

 private:
  void read_metadata();
  void read_functions(const std::string& headers);
  std::string file_of(std::string_view scope) const;

  std::vector<std::string_view> lines_;
  std::map<std::string_view, std::string_view> metadata_;  ///< "!7", and what it is
  std::map<std::string_view, DefinedFunction> functions_;
};

}  // namespace assay::metal::emulator::ir
