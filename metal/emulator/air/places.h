// The place of each instruction of a compiled kernel, as debug information and as sites of barriers and collectives. A
// module of Apple's compiler has none of its own, unless it was compiled with -frecord-sources or -g.
#pragma once

#include <string>
#include <string_view>

#include "metal/emulator/air/builtins.h"

namespace assay::metal::emulator::air {

class Places {
 public:
  explicit Places(std::string file);

  void enter_function(std::string_view name, std::size_t line);
  void enter_block(std::string_view name) { block_ = name; }
  void enter_instruction(std::string_view text, std::size_t line);

  /// "!dbg !7" of the function.
  std::string of_function() const;
  /// That of what stands at its begin. `own_scope` is the module's own debug information of the function, or empty.
  std::string of_entry(std::string_view own_scope);
  /// That of the instruction.
  std::string of_instruction();
  /// The file and the line of the instruction's site; its column is `column`.
  std::string file() const { return described(); }
  std::size_t line() const { return line_; }
  static constexpr unsigned column = 3;  ///< LLVM indents each instruction by two
  /// "@assay.air.site.3", for a call of the builtin by the instruction.
  std::string site(const Builtin& builtin);

  /// The definitions of all that the names above refer to.
  std::string definitions() const;

 private:
  std::string described() const;
  std::size_t number() { return next_++; }

  std::string file_, function_, block_, instruction_;
  std::size_t line_ = 0, function_line_ = 0, scope_ = 0, next_;
  std::size_t sites_ = 0;
  std::string nodes_, constants_;
};

}  // namespace assay::metal::emulator::air
