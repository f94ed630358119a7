// Reads and writes of memory: instrument.h.
#include "metal/emulator/numerics/function_rewriter.h"

namespace assay::metal::emulator {

using ir::Call;
using ir::Instruction;
using ir::Value;

namespace {

/// {"<2 x float>", "float"} of "{ <2 x float>, float }", by index; of a vector or an array the only one.
std::string_view element_type(std::string_view type, std::string_view index) {
  if (type.starts_with('{')) {
    const auto members = ir::parts(type.substr(1, type.size() - 2));
    const auto n = static_cast<std::size_t>(index[0] - '0');
    return n < members.size() ? members[n] : std::string_view();
  }
  const std::size_t by = type.find(" x ");
  return by == std::string_view::npos ? type : type.substr(by + 3, type.size() - by - 4);
}

}  // namespace

void FunctionRewriter::declare(const Instruction& read) {
  if (!variables_.contains(read.result)) return;
  const std::string companion = ir::derived_name(read.result, "entry");
  debug_ = {};
  add("{} = alloca i32", companion);
  add("store i32 0, ptr {}", companion);
}

void FunctionRewriter::loaded(const Instruction& read) {
  const auto operands = ir::parts(without_qualifiers(read.operands));
  const std::string_view type = operands[0], from = pointer(operands[1]);
  if (from.empty()) return;
  if (may_hold_several(type)) places_[read.result] = std::string(from);
  if (read.operands.starts_with("atomic")) passed_.insert(read.result);
  const auto variable = scalars_.find(from);
  if (variable != scalars_.end() && ir::is_floating(type) != ir::is_floating(variable->second))
    return punned(read, type, from);
  if (!ir::is_floating(type)) return;
  if (variables_.contains(from))
    add("{} = load i32, ptr {}", new_entry(read.result), ir::derived_name(from, "entry"));
  else
    read_entry(read.result, type, from);
}

/// as_type reads a variable of another type.
void FunctionRewriter::punned(const Instruction& read, std::string_view type, std::string_view from) {
  if (ir::is_floating(type)) {
    read_entry(read.result, type, from);
    entries_[read.result] = bits(Operation::from_bits, type, read.result, entry_of(read.result));
    return;
  }
  const std::string_view of = scalars_[from];
  const std::string number = temporary(), entry = temporary();
  add("{} = load {}, ptr {}", number, of, from);
  add("{} = call i32 @assay_numerics_load(ptr {}, double {})", entry, from, as_double(of, number));
  bits(Operation::to_bits, of, number, entry);
}

void FunctionRewriter::read_entry(std::string_view result, std::string_view type, std::string_view from) {
  const std::string value = as_double(type, result);
  add("{} = call i32 @assay_numerics_load(ptr {}, double {})", new_entry(result), from, value);
}

void FunctionRewriter::stored(const Instruction& read) {
  const auto operands = ir::parts(without_qualifiers(read.operands));
  const Value value = ir::value(operands[0]);
  const std::string_view to = pointer(operands[1]);
  if (to.empty()) return;
  if (variables_.contains(to))
    add("store i32 {}, ptr {}", value_entry(value.type, value.name), ir::derived_name(to, "entry"));
  else if (ir::is_floating(value.type) && value.type != "double")
    add("call void @assay_numerics_store(ptr {}, i32 {}, i32 {})", to, value_entry(value.type, value.name),
        bytes_of(precision_of_type(value.type)));
  else if (value.type == "double" && !passed_.contains(value.name))
    add("call void @assay_numerics_store(ptr {}, i32 {}, i32 8)", to, value_entry(value.type, value.name));
  else if (value.type.ends_with(" x i32>") && place_of(value.name) == "null")
    store_vector_of_bits(value, to);
  else if (value.type == "i32" && value.name.starts_with('%') && !passed_.contains(value.name) &&
           !scalars_.contains(to))
    store_bits(value.name, to);
  else if (passed_.contains(value.name) || value.type.starts_with('<'))
    move(to, place_of(value.name), size_of(value.type));
}

/// Integers in memory may be the bits of numbers, which are read again as such.
void FunctionRewriter::store_bits(std::string_view integer, std::string_view to) {
  const std::string number = temporary();
  add("{} = bitcast i32 {} to float", number, integer);
  add("call void @assay_numerics_store(ptr {}, i32 {}, i32 4)", to, bits(Operation::from_bits, "float", number, "0"));
}

void FunctionRewriter::store_vector_of_bits(const Value& vector, std::string_view to) {
  for (int n = 0; n < vector.type[1] - '0'; ++n) {
    const std::string integer = temporary(), place = temporary();
    add("{} = extractelement {} {}, i64 {}", integer, vector.type, vector.name, n);
    add("{} = getelementptr i32, ptr {}, i64 {}", place, to, n);
    store_bits(integer, place);
  }
}

void FunctionRewriter::exchanged(const Instruction& read) {
  const auto operands = ir::parts(without_qualifiers(without_qualifiers(read.operands)));
  const std::string_view desired = operands[2].substr(operands[2].find(' ') + 1);
  move(pointer(operands[0]), place_of(desired.substr(0, desired.find(' '))), "4");
}

void FunctionRewriter::extracted(const Instruction& read, const std::vector<std::string_view>& operands) {
  const Value whole = ir::value(operands[0]);
  if (const auto frexp = frexps_.find(whole.name); frexp != frexps_.end()) return extracted_mantissa(read, *frexp);
  const std::string place = place_of(whole.name);
  if (place == "null") {
    entries_[read.result] = unknown();
    return;
  }
  const std::string part = temporary();
  const bool has_type = operands[1].find(' ') != std::string_view::npos;
  add("{} = getelementptr {}, ptr {}, i32 0, {}{}", part, whole.type, place, has_type ? "" : "i32 ", operands[1]);
  const std::string_view element = element_type(whole.type, operands[1]);
  if (ir::is_floating(element)) read_entry(read.result, element, part);
  places_[read.result] = part;
  passed_.insert(read.result);
}

}  // namespace assay::metal::emulator
