#include "metal/emulator/numerics/function_rewriter.h"

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace assay::metal::emulator {

using ir::Call;
using ir::Instruction;
using ir::Value;

namespace {

/// Whether a literal has so many bits that it may have been rounded: "0x3FD5555560000000", "1.000000e-05"; a long double
/// begins with 0xK.
bool may_stand_for_another(std::string_view literal) {
  if (literal.starts_with("0xK")) return true;
  constexpr std::size_t digits = 18;
  constexpr std::uint64_t beyond_few_bits = (std::uint64_t{1} << 40) - 1;
  if (literal.starts_with("0x"))
    return literal.size() == digits &&
           (std::stoull(std::string(literal.substr(2)), nullptr, 16) & beyond_few_bits) != 0;
  if (literal.find('.') == std::string_view::npos) return false;
  return (std::bit_cast<std::uint64_t>(std::strtod(std::string(literal).c_str(), nullptr)) & beyond_few_bits) != 0;
}

}  // namespace

std::string FunctionRewriter::run(std::span<const std::string_view> lines) {
  find_variables(lines);
  bool has_entry = false;
  for (const std::string_view line : lines) {
    const auto read = ir::instruction(line);
    if (!read) {
      text_.append(line).append("\n");
    } else {
      if (!has_entry) has_entry = true, enter();  // clang's own functions have no label
      before(*read);
      append(line, *read);
      after(*read);
      if (!successor_.empty()) add("br label {}", std::exchange(successor_, {}));
    }
    if (!has_entry && line.starts_with("entry:")) has_entry = true, enter();
  }
  return text_;
}

void FunctionRewriter::find_variables(std::span<const std::string_view> lines) {
  for (const std::string_view line : lines)
    if (const auto read = ir::instruction(line); read && read->opcode == "alloca") {
      const std::string_view type = ir::parts(read->operands)[0];
      if (ir::is_floating(type)) variables_.insert(read->result);
      if (ir::is_floating(type) || is_integer(type)) scalars_[read->result] = type;
    }
  for (const std::string_view line : lines)
    if (const auto read = ir::instruction(line); read && !variables_.empty()) forget_escaping(*read);
}

void FunctionRewriter::forget_escaping(const Instruction& read) {
  if (read.opcode == "alloca") return;
  if (read.opcode == "call" && read.operands.find("@llvm.lifetime.") != std::string_view::npos) return;
  const bool is_access = read.opcode == "load" || read.opcode == "store";
  const auto operands = is_access ? ir::parts(without_qualifiers(read.operands)) : std::vector<std::string_view>();
  const std::string_view accessed = is_access ? pointer(operands[1]) : std::string_view();
  const bool is_scalar = is_access && ir::is_floating(operands[0].substr(0, operands[0].find(' ')));
  for (std::size_t at = read.operands.find('%'); at != std::string_view::npos; at = read.operands.find('%', at + 1)) {
    const std::string_view rest = read.operands.substr(at);
    const std::string_view name = rest.size() > 1 && rest[1] == '"' ? rest.substr(0, rest.find('"', 2) + 1)
                                                                    : rest.substr(0, rest.find_first_of(" ,()]>}"));
    if (name != accessed || !is_scalar) variables_.erase(name);
  }
}

void FunctionRewriter::append(std::string_view line, const Instruction& read) {
  constexpr std::string_view to = "to label ";
  const std::size_t at = read.opcode == "invoke" ? line.rfind(to) : std::string_view::npos;
  if (at == std::string_view::npos) {
    text_.append(line).append("\n");
    return;
  }
  const std::size_t begin = at + to.size(), end = line.find(' ', begin);
  successor_ = line.substr(begin, end - begin);
  const std::string block = temporary();
  text_.append(line.substr(0, begin)).append(block).append(line.substr(end)).append("\n");
  text_.append(block.substr(1)).append(":\n");
}

void FunctionRewriter::before(const Instruction& read) {
  debug_ = read.debug;
  if (read.opcode == "ret") {
    before_return(ir::value(read.operands));
  } else if (const auto call = called(read)) {
    const ir::DefinedFunction* const callee = module_.function(call->callee);
    if (call->callee.empty() || module_.may_be_instrumented(call->callee)) pass_arguments(*call, callee);
  }
}

void FunctionRewriter::after(const Instruction& read) {
  debug_ = read.debug;
  if (read.opcode == "alloca") return declare(read);
  if (read.opcode == "load") return loaded(read);
  if (read.opcode == "store") return stored(read);
  if (read.opcode == "cmpxchg") return exchanged(read);
  if (const auto call = called(read)) return returned(read, *call);
  if (read.opcode == "fcmp") return compared(read);
  if (!read.result.empty()) computed(read);
}

std::string FunctionRewriter::site() {
  if (function_.is_own) return "%\"assay.site\"";
  return sites_.of(debug_.empty() ? ir::SourceLine() : module_.source_of(debug_));
}

std::string FunctionRewriter::as_double(std::string_view type, std::string_view name) {
  if (type == "double" || (type == "float" && !name.starts_with('%'))) return std::string(name);
  std::string wide = temporary();
  add("{} = {} {} {} to double", wide, type == "x86_fp80" ? "fptrunc" : "fpext", type, name);
  return wide;
}

std::string FunctionRewriter::value_entry(std::string_view type, std::string_view name) {
  if (name.starts_with('%') || function_.is_own || !may_stand_for_another(name)) return entry_of(name);
  return bits(Operation::constant, type, name, "0");
}

std::string FunctionRewriter::bits(Operation direction, std::string_view type, std::string_view value,
                                   const std::string& entry) {
  const std::string wide = as_double(type, value), result = temporary();
  add("{} = call i32 @assay_numerics_operation_1(ptr {}, i32 {}, double {}, double {}, i32 {})", result, site(),
      code_of(direction, precision_of_type(type)), wide, wide, entry);
  return result;
}

std::string Sites::of(const ir::SourceLine& place) {
  if (place.line == 0) return "@assay.site.0";
  const auto [entry, is_new] = numbers_.try_emplace(place, all_.size());
  if (is_new) all_.push_back(place);
  return fmt::format("@assay.site.{}", entry->second);
}

std::string instrumented(const ir::Module& module, Sites& sites, const ir::DefinedFunction& function,
                         std::optional<Operation> stated, std::span<const std::string_view> lines) {
  return FunctionRewriter(module, sites, function, stated).run(lines);
}

}  // namespace assay::metal::emulator
