// A function's own arrays in a compiled kernel. No access to them is checked as one to memory; an index that leaves the
// array would reach what the emulator itself keeps on the stack.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

class PrivateArrays {
 public:
  void enter_function();
  /// Remembers the arrays, and the addresses of their elements, that an instruction makes.
  void note(const ir::Instruction& instruction);
  /// Whether the instruction loads or stores an element by an index that is a variable.
  bool is_checked(const ir::Instruction& instruction) const { return element_of(instruction).has_value(); }
  /// The instructions in front of such an access that tell the emulator of it. `site` is the name of its site.
  std::string before_access(const ir::Instruction& instruction, const std::string& site);
  /// What the instructions refer to.
  std::string definitions() const;

 private:
  struct Element {
    std::uint64_t count;      ///< of the array
    std::string type, index;  ///< "i64" and "%45"
  };
  std::optional<Element> element_of(const ir::Instruction& instruction) const;

  std::map<std::string, std::uint64_t, std::less<>> arrays_;  ///< the number of elements, by "%20"
  std::map<std::string, Element, std::less<>> elements_;      ///< by the name of the address
  std::set<std::uint64_t> counts_;
  std::size_t accesses_ = 0;
};

}  // namespace assay::metal::emulator::air
