// The instrumentation of one function: instrument.h.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metal/emulator/numerics/ir_module.h"
#include "metal/emulator/numerics/known_functions.h"
#include "metal/emulator/numerics/operation.h"

namespace assay::metal::emulator {

/// The places in the source to which operations belong. Number 0 is unknown.
class Sites {
 public:
  std::string of(const ir::SourceLine& place);  ///< "@assay.site.7"
  const std::vector<ir::SourceLine>& all() const { return all_; }

 private:
  std::vector<ir::SourceLine> all_ = {ir::SourceLine()};
  std::map<ir::SourceLine, std::size_t> numbers_;
};

/// `lines` are those between the signature and the closing brace.
std::string instrumented(const ir::Module& module, Sites& sites, const ir::DefinedFunction& function,
                         std::optional<Operation> stated, std::span<const std::string_view> lines);

inline Precision precision_of_type(std::string_view type) {
  if (type == "half") return Precision::half;
  if (type == "bfloat") return Precision::bfloat;
  return type == "float" ? Precision::single : Precision::wide;
}

inline bool is_integer(std::string_view type) {
  return type == "i16" || type == "i32" || type == "i64";
}

/// In which clang may pass a struct.
inline bool may_hold_several(std::string_view type) {
  return type == "i32" || type == "i64" || type == "i128" || type == "double" || type.starts_with('<') ||
         type.starts_with('{') || type.starts_with('[');
}

inline std::string size_of(std::string_view type) {
  return fmt::format("ptrtoint (ptr getelementptr ({}, ptr null, i32 1) to i64)", type);
}

/// Removes "atomic", "volatile" and "weak" from the front.
inline std::string_view without_qualifiers(std::string_view text) {
  for (const std::string_view word : {"weak ", "atomic ", "volatile "})
    if (text.starts_with(word)) text.remove_prefix(word.size());
  return text;
}

/// The pointer of "ptr %p", or of "ptr %p monotonic". Empty if it is of another address space.
inline std::string_view pointer(std::string_view text) {
  if (!text.starts_with("ptr ")) return {};
  text.remove_prefix(4);
  if (!text.starts_with('%') && !text.starts_with('@')) return text;
  if (text.size() > 1 && text[1] == '"') return text.substr(0, text.find('"', 2) + 1);
  return text.substr(0, text.find(' '));
}

class FunctionRewriter {
 public:
  FunctionRewriter(const ir::Module& module, Sites& sites, const ir::DefinedFunction& function,
                   std::optional<Operation> stated)
      : module_(module), sites_(sites), function_(function), stated_(stated) {}

  std::string run(std::span<const std::string_view> lines);

 private:
  struct Operand {
    std::string value, entry;  ///< as a double
  };

  /// Appends an instruction that ThreadSanitizer leaves alone.
  template <class... Parts>
  void add(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += "  " + fmt::format(format, std::forward<Parts>(parts)...);
    text_.append(", !nosanitize !{}");
    if (!debug_.empty()) text_.append(", !dbg ").append(debug_);
    text_ += "\n";
  }
  std::string temporary() { return fmt::format("%\"assay.{}\"", ++temporaries_); }
  std::string entry_of(std::string_view name) const {
    const auto found = entries_.find(name);
    return found == entries_.end() ? "0" : found->second;
  }
  /// The residue of a value that no followed operation made. A shader's are inputs.
  std::string unknown() const { return module_.is_part() ? "%\"assay.unknown\"" : "0"; }
  std::string new_entry(std::string_view result) { return entries_[result] = ir::derived_name(result, "entry"); }
  /// Where a value was read, or null.
  std::string place_of(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? "null" : found->second;
  }
  /// As entry_of, of a literal too.
  std::string value_entry(std::string_view type, std::string_view name);
  Operand operand(std::string_view type, std::string_view name) {
    return {as_double(type, name), value_entry(type, name)};
  }
  void move(std::string_view to, std::string_view from, std::string_view size) {
    if (from != "null") add("call void @assay_numerics_move(ptr {}, ptr {}, i64 {})", to, from, size);
  }
  static std::optional<ir::Call> called(const ir::Instruction& read) {
    const bool is_marked = read.opcode == "tail" || read.opcode == "notail" || read.opcode == "musttail";
    if (read.opcode != "call" && read.opcode != "invoke" && !is_marked) return std::nullopt;
    return ir::call(read.operands);
  }

  /// Local variables of a floating-point type whose address is used for nothing but reads and writes.
  void find_variables(std::span<const std::string_view> lines);
  void forget_escaping(const ir::Instruction& read);
  void before(const ir::Instruction& read);
  /// Appends the line. Behind an invoke comes a block of its own, since nothing can stand between it and its successor.
  void append(std::string_view line, const ir::Instruction& read);
  void after(const ir::Instruction& read);
  std::string site();
  std::string as_double(std::string_view type, std::string_view name);
  void declare(const ir::Instruction& read);
  void loaded(const ir::Instruction& read);
  void read_entry(std::string_view result, std::string_view type, std::string_view from);
  void stored(const ir::Instruction& read);
  void store_bits(std::string_view integer, std::string_view to);
  void store_vector_of_bits(const ir::Value& vector, std::string_view to);
  void punned(const ir::Instruction& read, std::string_view type, std::string_view from);
  std::string bits(Operation direction, std::string_view type, std::string_view value, const std::string& entry);
  void exchanged(const ir::Instruction& read);
  void extracted(const ir::Instruction& read, const std::vector<std::string_view>& operands);
  void enter();
  /// The callee has a copy of a struct on its stack.
  void take_copy(const ir::Value& parameter, std::size_t n);
  void pass_arguments(const ir::Call& call, const ir::DefinedFunction* callee);
  void before_return(const ir::Value& value);
  std::string stated_entry(Operation operation, std::string_view type, const std::string& result,
                           const std::string& entry);
  void state_parts(const ir::Value& value);
  void returned(const ir::Instruction& read, const ir::Call& call);
  void returned_from(const ir::Instruction& read, const ir::Call& call, const KnownFunction& known);
  void chosen(std::string_view result, const ir::Call& call);
  void signed_as(std::string_view result, const ir::Call& call);
  Operand integer(const ir::Value& value, std::string_view conversion);
  void extracted_mantissa(const ir::Instruction& read, const std::pair<const std::string_view, ir::Call>& frexp);
  void observe(std::string_view result, std::string_view type, Operation operation,
               const std::vector<Operand>& operands);
  void compared(const ir::Instruction& read);
  void computed(const ir::Instruction& read);
  void converted(const ir::Instruction& read, const ir::Value& from, std::string_view type);
  void merged(const ir::Instruction& read, std::string_view text);
  void selected(const ir::Instruction& read, const std::vector<std::string_view>& operands);

  const ir::Module& module_;
  Sites& sites_;
  const ir::DefinedFunction& function_;
  std::optional<Operation> stated_;  ///< what the function computes of its first argument
  std::string text_;
  std::string_view debug_;
  std::set<std::string_view> variables_;
  std::map<std::string_view, std::string_view> scalars_;  ///< the types of local numbers
  std::map<std::string_view, std::string> entries_, places_;
  std::set<std::string_view> passed_;  ///< values in which clang passes structs, and atomics
  std::map<std::string_view, ir::Call> frexps_;
  std::string_view successor_;  ///< of the invoke whose block is being written: "%invoke.cont"
  int temporaries_ = 0;
};

}  // namespace assay::metal::emulator
