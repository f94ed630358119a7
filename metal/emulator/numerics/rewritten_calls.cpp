// Calls, parameters and results: instrument.h.
#include "metal/emulator/numerics/function_rewriter.h"

namespace assay::metal::emulator {

using ir::Call;
using ir::Instruction;
using ir::Value;

namespace {

bool is_by_value(const Value& value) {
  return value.attributes.find("byval(") != std::string_view::npos;
}

std::string argument_entry(std::size_t n) {
  return fmt::format("getelementptr inbounds ([64 x i32], ptr @assay.argument.entries, i64 0, i64 {})", n);
}

std::string argument_place(std::size_t n) {
  return fmt::format("getelementptr inbounds ([64 x ptr], ptr @assay.argument.places, i64 0, i64 {})", n);
}

}  // namespace

void FunctionRewriter::enter() {
  debug_ = {};
  if (function_.is_own) add("%\"assay.site\" = load ptr, ptr @assay.site.now");
  if (module_.is_part()) add("%\"assay.unknown\" = load i32, ptr @assay_numerics_unknown");
  const auto& parameters = function_.signature.arguments;
  for (std::size_t n = 0; n < parameters.size() && n < 64; ++n) {
    const Value& one = parameters[n];
    if (ir::is_floating(one.type)) add("{} = load i32, ptr {}", new_entry(one.name), argument_entry(n));
    if (may_hold_several(one.type) && one.name.find("coerce") != std::string_view::npos) {
      places_[one.name] = ir::derived_name(one.name, "place");
      passed_.insert(one.name);
      add("{} = load ptr, ptr {}", places_[one.name], argument_place(n));
    }
    if (is_by_value(one)) take_copy(one, n);
  }
}

void FunctionRewriter::take_copy(const Value& parameter, std::size_t n) {
  const std::string_view from = parameter.attributes.substr(parameter.attributes.find("byval(") + 6);
  const std::string_view type = from.substr(0, from.find(')'));
  const std::string place = temporary();
  add("{} = load ptr, ptr {}", place, argument_place(n));
  add("call void @assay_numerics_move(ptr {}, ptr {}, i64 {})", parameter.name, place, size_of(type));
}

void FunctionRewriter::pass_arguments(const Call& call, const ir::DefinedFunction* callee) {
  if (!callee || callee->is_own) add("store ptr {}, ptr @assay.site.now", site());
  if (!callee) {
    add("store i32 {}, ptr @assay.result.entry", unknown());
    add("store ptr null, ptr @assay.result.place");
  }
  for (std::size_t n = 0; n < call.arguments.size() && n < 64; ++n) {
    const Value& one = call.arguments[n];
    if (ir::is_floating(one.type)) add("store i32 {}, ptr {}", value_entry(one.type, one.name), argument_entry(n));
    if (is_by_value(one)) add("store ptr {}, ptr {}", one.name, argument_place(n));
    if (may_hold_several(one.type)) add("store ptr {}, ptr {}", place_of(one.name), argument_place(n));
  }
}

/// The entry of what the function is stated to compute, in place of the one of what it has computed.
std::string FunctionRewriter::stated_entry(Operation operation, std::string_view type, const std::string& result,
                                           const std::string& entry) {
  const Value& argument = function_.signature.arguments[0];
  const std::string made = temporary(), value = as_double(argument.type, argument.name);
  add("{} = call i32 @assay_numerics_operation_2(ptr {}, i32 {}, double {}, double {}, double {}, i32 {}, i32 {})",
      made, site(), code_of(operation, precision_of_type(type)) | stated_flag, value, result, result,
      entry_of(argument.name), entry);
  return made;
}

/// The first of the floats of a struct has the result, the others are what rounding has left of it.
void FunctionRewriter::state_parts(const Value& value) {
  const std::string place = place_of(value.name);
  if (place == "null" || value.type != "<2 x float>") return;
  for (const int n : {0, 1}) {
    const std::string part = temporary(), number = temporary(), entry = temporary();
    add("{} = getelementptr float, ptr {}, i64 {}", part, place, n);
    add("{} = load float, ptr {}", number, part);
    const std::string wide = as_double("float", number);
    add("{} = call i32 @assay_numerics_load(ptr {}, double {})", entry, part, wide);
    add("call void @assay_numerics_store(ptr {}, i32 {}, i32 4)", part,
        stated_entry(n == 0 ? *stated_ : Operation::constant, "float", wide, entry));
  }
}

void FunctionRewriter::before_return(const Value& value) {
  const bool is_stated =
      stated_ && !function_.signature.arguments.empty() && ir::is_floating(function_.signature.arguments[0].type);
  if (is_stated) state_parts(value);
  if (ir::is_floating(value.type)) {
    std::string entry = value_entry(value.type, value.name);
    if (is_stated) entry = stated_entry(*stated_, value.type, as_double(value.type, value.name), entry);
    add("store i32 {}, ptr @assay.result.entry", entry);
  }
  if (may_hold_several(value.type)) add("store ptr {}, ptr @assay.result.place", place_of(value.name));
}

void FunctionRewriter::returned(const Instruction& read, const Call& call) {
  if (call.callee.starts_with("@llvm.memcpy") || call.callee.starts_with("@llvm.memmove"))
    return move(call.arguments[0].name, call.arguments[1].name, call.arguments[2].name);
  if (read.result.empty()) return;
  if (call.callee.starts_with("@llvm.frexp")) frexps_[read.result] = call;
  if (module_.may_be_instrumented(call.callee)) {
    if (ir::is_floating(call.type)) add("{} = load i32, ptr @assay.result.entry", new_entry(read.result));
    if (!may_hold_several(call.type)) return;
    places_[read.result] = ir::derived_name(read.result, "place");
    passed_.insert(read.result);
    add("{} = load ptr, ptr @assay.result.place", places_[read.result]);
  } else if (const auto known = known_function(call.callee); known && ir::is_floating(call.type)) {
    returned_from(read, call, *known);
  }
}

void FunctionRewriter::returned_from(const Instruction& read, const Call& call, const KnownFunction& known) {
  std::vector<Operand> operands;
  switch (known.kind) {
    case KnownFunction::Kind::whole:
      return;
    case KnownFunction::Kind::choice:
      return chosen(read.result, call);
    case KnownFunction::Kind::sign:
      return signed_as(read.result, call);
    case KnownFunction::Kind::scaling:
      operands = {operand(call.type, call.arguments[0].name), integer(call.arguments[1], "sitofp")};
      break;
    case KnownFunction::Kind::operation:
      for (const Value& one : call.arguments) operands.push_back(operand(one.type, one.name));
  }
  observe(read.result, call.type, known.operation, operands);
}

void FunctionRewriter::chosen(std::string_view result, const Call& call) {
  const auto &first = call.arguments[0], &second = call.arguments[1];
  add("call void @assay_numerics_compare(ptr {}, i32 0, double {}, double {}, i32 {}, i32 {})", site(),
      as_double(first.type, first.name), as_double(second.type, second.name), entry_of(first.name),
      entry_of(second.name));
  const std::string is_first = temporary();
  add("{} = fcmp ueq {} {}, {}", is_first, call.type, result, first.name);
  add("{} = select i1 {}, i32 {}, i32 {}", new_entry(result), is_first, entry_of(first.name), entry_of(second.name));
}

/// The first argument times 1 or -1.
void FunctionRewriter::signed_as(std::string_view result, const Call& call) {
  const std::string is_first = temporary(), factor = temporary();
  add("{} = fcmp ueq {} {}, {}", is_first, call.type, result, call.arguments[0].name);
  add("{} = select i1 {}, double 1.0, double -1.0", factor, is_first);
  observe(result, call.type, Operation::multiply, {operand(call.type, call.arguments[0].name), {factor, "0"}});
}

FunctionRewriter::Operand FunctionRewriter::integer(const Value& value, std::string_view conversion) {
  std::string wide = temporary();
  add("{} = {} {} {} to double", wide, conversion, value.type, value.name);
  return {wide, "0"};
}

void FunctionRewriter::extracted_mantissa(const Instruction& read,
                                          const std::pair<const std::string_view, Call>& frexp) {
  const auto& [whole, call] = frexp;
  if (!read.operands.ends_with(", 0")) return;
  const std::string exponent = temporary(), negated = temporary();
  add("{} = extractvalue {} {}, 1", exponent, call.type, whole);
  add("{} = sub i32 0, {}", negated, exponent);
  const Value& argument = call.arguments[0];
  observe(read.result, argument.type, Operation::scale,
          {operand(argument.type, argument.name), integer({"i32", {}, negated}, "sitofp")});
}

}  // namespace assay::metal::emulator
