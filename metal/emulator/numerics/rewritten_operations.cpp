// Operations of registers: instrument.h.
#include <algorithm>
#include <array>

#include "metal/emulator/numerics/function_rewriter.h"

namespace assay::metal::emulator {

using ir::Call;
using ir::Instruction;
using ir::Value;

namespace {

const std::map<std::string_view, Operation> binary_operations = {{"fadd", Operation::add},
                                                                 {"fsub", Operation::subtract},
                                                                 {"fmul", Operation::multiply},
                                                                 {"fdiv", Operation::divide},
                                                                 {"frem", Operation::fmod}};

constexpr std::array<std::string_view, 16> predicates = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                                                         "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};

}  // namespace

void FunctionRewriter::observe(std::string_view result, std::string_view type, Operation operation,
                               const std::vector<Operand>& operands) {
  const std::string value = as_double(type, result);
  std::string values, entries;
  for (const Operand& one : operands) values += ", double " + one.value, entries += ", i32 " + one.entry;
  add("{} = call i32 @assay_numerics_operation_{}(ptr {}, i32 {}{}, double {}{})", new_entry(result), operands.size(),
      site(), code_of(operation, precision_of_type(type)), values, value, entries);
}

void FunctionRewriter::compared(const Instruction& read) {
  std::string_view text = ir::without_flags(read.operands);
  const std::string_view word = text.substr(0, text.find(' '));
  const auto operands = ir::parts(text.substr(word.size()));
  const Value left = ir::value(operands[0]);
  const std::string_view right = operands[1];
  const std::string one = entry_of(left.name), other = entry_of(right);
  if ((one == "0" && other == "0") || !ir::is_floating(left.type)) return;
  // What functions of the standard library decide is their own affair.
  const auto predicate = function_.is_own ? 0 : std::ranges::find(predicates, word) - predicates.begin();
  add("call void @assay_numerics_compare(ptr {}, i32 {}, double {}, double {}, i32 {}, i32 {})", site(), predicate,
      as_double(left.type, left.name), as_double(left.type, right), one, other);
}

void FunctionRewriter::computed(const Instruction& read) {
  const std::string_view text = ir::without_flags(read.operands);
  const auto operands = ir::parts(text);
  if (operands.empty()) return;
  const Value first = ir::value(operands[0]);
  if (const auto binary = binary_operations.find(read.opcode); binary != binary_operations.end()) {
    if (ir::is_floating(first.type))
      observe(read.result, first.type, binary->second,
              {operand(first.type, first.name), operand(first.type, operands[1])});
  } else if (read.opcode == "fneg" && ir::is_floating(first.type)) {
    observe(read.result, first.type, Operation::negate, {operand(first.type, first.name)});
  } else if (read.opcode == "freeze") {
    entries_[read.result] = entry_of(first.name);
  } else if (read.opcode == "phi") {
    merged(read, text);
  } else if (read.opcode == "select") {
    selected(read, operands);
  } else if (read.opcode == "extractvalue" || read.opcode == "extractelement") {
    extracted(read, operands);
  } else if (const std::size_t to = text.rfind(" to "); to != std::string_view::npos) {
    converted(read, ir::value(text.substr(0, to)), text.substr(to + 4));
  }
}

void FunctionRewriter::converted(const Instruction& read, const Value& from, std::string_view type) {
  if (read.opcode == "fpext")
    entries_[read.result] = entry_of(from.name);
  else if (read.opcode == "fptrunc" && ir::is_floating(type))
    observe(read.result, type, Operation::convert, {operand(from.type, from.name)});
  else if ((read.opcode == "sitofp" || read.opcode == "uitofp") && ir::is_floating(type) && type != "double")
    observe(read.result, type, Operation::convert, {integer(from, read.opcode)});
  else if (read.opcode == "bitcast" && is_integer(from.type) && ir::is_floating(type))
    entries_[read.result] = bits(Operation::from_bits, type, read.result, "0");
  else if (read.opcode == "bitcast" && ir::is_floating(from.type) && is_integer(type))
    bits(Operation::to_bits, from.type, from.name, entry_of(from.name));
}

void FunctionRewriter::merged(const Instruction& read, std::string_view text) {
  const std::string_view type = text.substr(0, text.find(' '));
  if (!ir::is_floating(type)) return;
  std::string incoming;
  for (const std::string_view part : ir::parts(text.substr(type.size()))) {
    const auto pair = ir::parts(part.substr(1, part.size() - 2));
    incoming += fmt::format("{} [ {}, {} ]", incoming.empty() ? "" : ",", entry_of(pair[0]), pair[1]);
  }
  add("{} = phi i32{}", new_entry(read.result), incoming);
}

void FunctionRewriter::selected(const Instruction& read, const std::vector<std::string_view>& operands) {
  const Value yes = ir::value(operands[1]), no = ir::value(operands[2]);
  if (ir::is_floating(yes.type))
    add("{} = select {}, i32 {}, i32 {}", new_entry(read.result), operands[0], value_entry(yes.type, yes.name),
        value_entry(no.type, no.name));
}

}  // namespace assay::metal::emulator
