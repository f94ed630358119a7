#include "metal/emulator/air/builtins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "metal/emulator/air/builtin_writer.h"

namespace assay::metal::emulator::air {

namespace {

/// The parts of the name after the family say which types are without a sign: "u" in front of each.
bool is_unsigned_in(const std::vector<std::string_view>& parts, std::size_t from) {
  return std::find(parts.begin() + static_cast<std::ptrdiff_t>(from), parts.end(), "u") != parts.end();
}

}  // namespace

std::vector<std::string_view> split_name(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('.', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Result<Builtin> Writer::write() {
  if (parts_.size() < 2) return unknown();
  const std::string_view family = parts_[1];
  if (family == "is_uniform") return constant_result("i1 true");
  if (family == "get_simdgroup_size") return constant_result(fmt::format("{} 32", declaration_.type));
  if (family == "normalize_function_constant_predicate") return normalized();
  if (family == "convert") return converted();
  if (family == "dot") return folded("fmul", "fadd");
  if (family == "all" || family == "any") return folded("", family == "all" ? "and" : "or");
  if (family == "atomic") return atomic();
  if (family.starts_with("simdgroup_matrix_8x8_")) return matrix(family.substr(21));
  if (name_ == "air.wg.barrier") return barrier("threadgroup_barrier");
  if (name_ == "air.simdgroup.barrier") return barrier("simdgroup_barrier");
  if (family == "get_thread_index_in_simdgroup")
    return scalar("ushort(metal::assay_detail::lane_of_group().lane)", {}, false);
  if (family == "sincos") return sincos();
  const auto form = form_of(family);
  return form ? by_element(*form) : unknown();
}

Result<Builtin> Writer::unknown() const {
  return error(Error::Kind::compile, fmt::format("{}: this function of Apple's compiler is not known here", name_));
}

std::string Writer::head(bool has_site) const {
  std::string parameters;
  for (std::size_t n = 0; n < declaration_.arguments.size(); ++n)
    parameters += fmt::format("{}{} %a{}", n == 0 ? "" : ", ", declaration_.arguments[n].type, n);
  if (has_site) parameters += parameters.empty() ? "ptr %site" : ", ptr %site";
  return fmt::format("define internal {} {}({}) alwaysinline nounwind {{\n", declaration_.type, declaration_.callee,
                     parameters);
}

Result<Builtin> Writer::constant_result(const std::string& value) const {
  return Builtin{fmt::format("{}  ret {}\n}}\n", head(false), value), {}, {}, {}, 0};
}

Result<Builtin> Writer::normalized() const {
  return Builtin{fmt::format("{0}  %c = icmp ne {1} %a0, 0\n  %r = zext i1 %c to {1}\n  ret {1} %r\n}}\n", head(false),
                             declaration_.type),
                 {},
                 {},
                 {},
                 0};
}

Result<Builtin> Writer::folded(std::string_view product, std::string_view join) const {
  const Shape shape = shape_of(declaration_.arguments.at(0).type);
  const std::string_view type = declaration_.arguments[0].type;
  std::string text = head(false), sum;
  for (unsigned n = 0; n < shape.count; ++n) {
    std::string term;
    for (std::size_t k = 0; k < declaration_.arguments.size(); ++k)
      text += fmt::format("  %x{}.{} = extractelement {} %a{}, i64 {}\n", k, n, type, k, n);
    term = fmt::format("%x0.{}", n);
    if (!product.empty()) {
      text += fmt::format("  %p{0} = {1} {2} %x0.{0}, %x1.{0}\n", n, product, shape.element);
      term = fmt::format("%p{}", n);
    }
    if (n > 0) text += fmt::format("  %s{} = {} {} {}, {}\n", n, join, shape.element, sum, term);
    sum = n > 0 ? fmt::format("%s{}", n) : term;
  }
  if (shape.count == 0) return unknown();
  return Builtin{fmt::format("{}  ret {} {}\n}}\n", text, declaration_.type, sum), {}, {}, {}, 0};
}

Builtin Writer::function(const std::string& name, const std::string& result, const std::vector<Parameter>& parameters,
                         std::string_view body, std::string_view operation, abi::Needs needs) const {
  Builtin made;
  made.function = "assay_air_" + name;
  std::string list;
  for (std::size_t n = 0; n < parameters.size(); ++n)
    list += fmt::format("{}{} {}", n == 0 ? "" : ", ", parameters[n].metal, static_cast<char>('a' + n));
  if (!operation.empty()) list += fmt::format("{}constant assay_shader_side::Site* site", list.empty() ? "" : ", ");
  made.metal = fmt::format("ASSAY_AIR {} {}({}) {{ {}{}; }}\n", result, made.function, list,
                           result == "void" ? "" : "return ", body);
  made.operation = operation;
  made.needs = static_cast<unsigned>(needs);
  return made;
}

std::string Writer::call(const Builtin& made, std::string_view type, const std::vector<Parameter>& parameters) {
  std::string list;
  for (const Parameter& one : parameters) list += fmt::format("{}{} {}", list.empty() ? "" : ", ", one.type, one.value);
  if (made.has_site()) list += list.empty() ? "ptr %site" : ", ptr %site";
  return fmt::format("call {} @{}({})", type, made.function, list);
}

std::string Writer::scalar_name(bool is_unsigned, std::span<const Parameter> parameters) const {
  std::string name(parts_[1]);
  for (const Parameter& one : parameters) name += fmt::format("_{}", one.type);
  return name + (is_unsigned ? "_u" : "") + "_" + std::string(shape_of(declaration_.type).element);
}

Result<Builtin> Writer::scalar(std::string_view body, const std::vector<Parameter>& parameters, bool has_site,
                               abi::Needs needs, std::string_view operation) const {
  const std::string result =
      declaration_.type == "void" ? "void" : metal_type(declaration_.type, is_unsigned_in(parts_, 2));
  std::string name;
  for (const std::string_view part : parts_) name += fmt::format("{}{}", name.empty() ? "" : "_", part);
  Builtin made = function(name, result, parameters, body, has_site ? operation : std::string_view(), needs);
  const bool is_void = declaration_.type == "void";
  made.definition = fmt::format("{}  {}{}\n  ret {}{}\n}}\n", head(has_site),
                                is_void ? "" : "%r = ", call(made, declaration_.type, parameters), declaration_.type,
                                is_void ? "" : " %r");
  return made;
}

Result<Builtin> Writer::by_element(const Form& form) const {
  const bool is_unsigned = is_unsigned_in(parts_, 2);
  const Shape shape = shape_of(declaration_.type);
  if (form.arguments > declaration_.arguments.size()) return unknown();
  std::vector<Parameter> parameters;
  for (unsigned n = 0; n < form.arguments; ++n) {
    const std::string_view type = shape_of(declaration_.arguments[n].type).element;
    const bool is_lane = form.has_site && (form.by_element >> n & 1) == 0;
    parameters.push_back({type, metal_type(type, is_unsigned || is_lane), fmt::format("%a{}", n)});
    if (parameters.back().metal.empty()) return unknown();
  }
  const std::string result = metal_type(shape.element, is_unsigned);
  if (result.empty()) return unknown();
  Builtin made = function(scalar_name(is_unsigned, parameters), result, parameters, form.expression,
                          form.has_site ? parts_[1] : std::string_view(), form.needs);
  made.definition = head(form.has_site) + elements(made, shape, parameters, form.by_element) + "}\n";
  return made;
}

std::string Writer::elements(const Builtin& made, const Shape& shape, const std::vector<Parameter>& parameters,
                             unsigned is_vector) const {
  if (shape.count == 0)
    return fmt::format("  %r = {}\n  ret {} %r\n", call(made, shape.element, parameters), declaration_.type);
  std::string text, before = "poison";
  for (unsigned n = 0; n < shape.count; ++n) {
    std::vector<Parameter> one = parameters;
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if ((is_vector >> k & 1) == 0 || shape_of(declaration_.arguments[k].type).count == 0) continue;
      one[k].value = fmt::format("%x{}.{}", k, n);
      text +=
          fmt::format("  {} = extractelement {} %a{}, i64 {}\n", one[k].value, declaration_.arguments[k].type, k, n);
    }
    text += fmt::format("  %e{0} = {1}\n  %v{0} = insertelement {2} {3}, {4} %e{0}, i64 {0}\n", n,
                        call(made, shape.element, one), declaration_.type, before, shape.element);
    before = fmt::format("%v{}", n);
  }
  return text + fmt::format("  ret {} {}\n", declaration_.type, before);
}

Result<Builtin> Writer::converted() const {
  if (parts_.size() != 6) return unknown();
  const Shape to = shape_of(declaration_.type), from = shape_of(declaration_.arguments.at(0).type);
  const std::string result = metal_type(to.element, parts_[2] == "u"),
                    given = metal_type(from.element, parts_[4] == "u");
  if (result.empty() || given.empty()) return unknown();
  const std::vector<Parameter> parameters = {{from.element, given, "%a0"}};
  Builtin made = function(fmt::format("convert_{}_{}", result, given), result, parameters,
                          fmt::format("static_cast<{}>(a)", result), {}, abi::Needs::active_lanes);
  made.definition = head(false) + elements(made, to, parameters, 1) + "}\n";
  return made;
}

Result<Builtin> Writer::barrier(std::string_view name) const {
  return scalar(fmt::format("metal::{}(metal::mem_flags(a), *site)", name), {{"i32", "uint", "%a0"}}, true,
                abi::Needs::active_lanes, name);
}

Result<Builtin> Writer::sincos() const {
  const std::string type = metal_type(declaration_.type, false);
  if (type.empty() || declaration_.arguments.size() != 2) return unknown();
  return scalar("metal::sincos(a, *b)",
                {{declaration_.type, type, "%a0"}, {"ptr", fmt::format("thread {}*", type), "%a1"}}, false);
}

Result<Builtin> Writer::atomic() const {
  if (name_ == "air.atomic.fence")
    return scalar("metal::atomic_thread_fence(metal::mem_flags(a), metal::memory_order(b), metal::thread_scope(c))",
                  {{"i32", "uint", "%a0"}, {"i32", "int", "%a1"}, {"i32", "int", "%a2"}}, false);
  if (parts_.size() < 5 || declaration_.arguments.size() < 3) return unknown();
  const std::string_view action = parts_[3];
  const std::string_view element =
      action == "load" ? declaration_.type : declaration_.arguments[action == "cmpxchg" ? 2 : 1].type;
  const std::string type = metal_type(element, is_unsigned_in(parts_, 4));
  if (type.empty()) return unknown();
  const Parameter object{"ptr", fmt::format("device metal::atomic<{}>*", type), "%a0"}, operand{element, type, "%a1"};
  const Parameter order{"i32", "int", "%a2"};
  if (action == "load")
    return scalar("metal::atomic_load_explicit(a, metal::memory_order(b))", {object, {"i32", "int", "%a1"}}, false);
  if (action == "store")
    return scalar("metal::atomic_store_explicit(a, b, metal::memory_order(c))", {object, operand, order}, false);
  if (action == "xchg")
    return scalar("metal::atomic_exchange_explicit(a, b, metal::memory_order(c))", {object, operand, order}, false);
  if (action == "cmpxchg" && declaration_.arguments.size() >= 5)
    return scalar("metal::assay_air::compare_exchange(a, b, c, d, e)",
                  {object,
                   {"ptr", fmt::format("thread {}*", type), "%a1"},
                   {element, type, "%a2"},
                   {"i32", "int", "%a3"},
                   {"i32", "int", "%a4"}},
                  false);
  constexpr std::array<std::string_view, 7> fetches = {"add", "sub", "min", "max", "and", "or", "xor"};
  if (std::ranges::find(fetches, action) == fetches.end()) return unknown();
  return scalar(fmt::format("metal::atomic_fetch_{}_explicit(a, b, metal::memory_order(c))", action),
                {object, operand, order}, false);
}

Result<Builtin> builtin(const ir::Call& declaration) {
  return Writer(declaration).write();
}

}  // namespace assay::metal::emulator::air
