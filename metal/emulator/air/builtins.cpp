#include "metal/emulator/air/builtins.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "metal/emulator/abi/shader_abi.h"

namespace assay::metal::emulator::air {

namespace {

using Words = std::vector<std::string_view>;

Words split(std::string_view text, char at) {
  Words words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// A scalar, or a vector of `count` of them.
struct Shape {
  std::string_view element;
  unsigned count = 0;  ///< 0: a scalar
};

/// "<4 x float>" is 4 of float.
Shape shape_of(std::string_view type) {
  const std::size_t by = type.find(" x ");
  if (!type.starts_with('<') || !type.ends_with('>') || by == std::string_view::npos) return {type, 0};
  unsigned count = 0;
  for (const char digit : type.substr(1, by - 1)) count = count * 10 + static_cast<unsigned>(digit - '0');
  return {type.substr(by + 3, type.size() - by - 4), count};
}

/// Metal's name of LLVM's scalar type; empty if it is none of Metal's.
std::string metal_type(std::string_view type, bool is_unsigned) {
  static const std::map<std::string_view, std::string_view> names = {
      {"half", "half"}, {"bfloat", "bfloat"}, {"float", "float"}, {"i1", "bool"}, {"ptr", "device void*"},
      {"i8", "char"},   {"i16", "short"},     {"i32", "int"},     {"i64", "long"}};
  const auto found = names.find(type);
  if (found == names.end()) return {};
  const bool is_integer = type.size() > 2 && type.front() == 'i';
  return (is_unsigned && (is_integer || type == "i8") ? "u" : "") + std::string(found->second);
}

/// What is done in Metal with arguments a, b, ... of one element.
struct Form {
  std::string_view expression;  ///< over a, b, c, d; `site` for one that has a site
  unsigned arguments = 1;       ///< how many it takes; the declaration may have more, which are left out
  unsigned by_element = ~0U;    ///< a bit for each argument that is a vector where the result is one
  bool has_site = false;
  abi::Needs needs = abi::Needs::active_lanes;
};

constexpr std::array<std::string_view, 30> of_one = {
    "acos",  "acosh", "asin",     "asinh", "atan",  "atanh", "ceil",  "cos",   "cosh", "cospi",
    "exp",   "exp2",  "exp10",    "fabs",  "floor", "fract", "log",   "log10", "log2", "rint",
    "round", "rsqrt", "saturate", "sign",  "sin",   "sinh",  "sinpi", "sqrt",  "tan",  "tanh"};
constexpr std::array<std::string_view, 9> of_one_more = {"tanpi", "trunc", "abs",      "popcount", "reverse_bits",
                                                         "isnan", "isinf", "isfinite", "isnormal"};
constexpr std::array<std::string_view, 17> of_two = {"atan2",  "copysign", "divide", "fdim",      "fmax", "fmin",
                                                     "fmod",   "max",      "min",    "nextafter", "pow",  "powr",
                                                     "rotate", "absdiff",  "hadd",   "rhadd",     "step"};
constexpr std::array<std::string_view, 9> of_three = {"clamp", "fma",  "fmax3",   "fmedian3", "fmin3",
                                                      "max3",  "min3", "median3", "mix"};

template <std::size_t n>
bool is_in(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Of mathematics, "exp" and "fast_exp".
std::optional<Form> mathematics(std::string_view family, std::string& text) {
  constexpr std::string_view fast = "fast_";
  const bool is_fast = family.starts_with(fast);
  if (is_fast) family.remove_prefix(fast.size());
  const unsigned arguments = is_in(of_one, family) || is_in(of_one_more, family) ? 1
                             : is_in(of_two, family)                             ? 2
                             : is_in(of_three, family)                           ? 3
                                                                                 : 0;
  if (family == "clz" || family == "ctz") {
    text = fmt::format("metal::{}(a)", family);
    return Form{.expression = text, .arguments = 1};
  }
  if (family == "ldexp") return Form{.expression = "metal::ldexp(a, b)", .arguments = 2};
  if (arguments == 0) return std::nullopt;
  const std::array<const char*, 3> names = {"a", "b", "c"};
  text = fmt::format("metal::{}{}({})", is_fast ? "fast::" : "", family,
                     fmt::join(names.begin(), names.begin() + arguments, ", "));
  return Form{.expression = text, .arguments = arguments};
}

/// Collectives of simdgroups and quadgroups: "simd_sum", "quad_shuffle_xor".
std::optional<Form> collective(std::string_view family, std::string& text) {
  if (!family.starts_with("simd_") && !family.starts_with("quad_")) return std::nullopt;
  const std::string_view name = family.substr(5);
  constexpr std::array<std::string_view, 12> reductions = {"sum",
                                                           "product",
                                                           "min",
                                                           "max",
                                                           "and",
                                                           "or",
                                                           "xor",
                                                           "prefix_inclusive_sum",
                                                           "prefix_exclusive_sum",
                                                           "prefix_inclusive_product",
                                                           "prefix_exclusive_product",
                                                           "broadcast_first"};
  constexpr std::array<std::string_view, 7> shuffles = {
      "broadcast", "shuffle", "shuffle_up", "shuffle_down", "shuffle_xor", "shuffle_rotate_up", "shuffle_rotate_down"};
  if (is_in(reductions, name) || name == "all" || name == "any") {
    text = fmt::format("metal::{}(a, *site)", family);
    return Form{.expression = text, .arguments = 1, .has_site = true};
  }
  if (name == "is_first") {
    text = fmt::format("metal::{}(*site)", family);
    return Form{.expression = text, .arguments = 0, .has_site = true, .needs = abi::Needs::no_lanes};
  }
  if (is_in(shuffles, name)) {
    text = fmt::format("metal::{}(a, b, *site)", family);
    return Form{.expression = text, .arguments = 2, .by_element = 1, .has_site = true, .needs = abi::Needs::read_lanes};
  }
  if (name != "shuffle_and_fill_up" && name != "shuffle_and_fill_down") return std::nullopt;
  text = fmt::format("metal::{}(a, b, c, d, *site)", family);
  return Form{.expression = text, .arguments = 4, .by_element = 3, .has_site = true, .needs = abi::Needs::read_lanes};
}

/// The parts of the name after the family say which types are without a sign: "u" in front of each.
bool is_unsigned_in(const Words& parts, std::size_t from) {
  return std::find(parts.begin() + static_cast<std::ptrdiff_t>(from), parts.end(), "u") != parts.end();
}

/// Writes one definition.
class Writer {
 public:
  explicit Writer(const ir::Call& declaration) : declaration_(declaration) {
    std::string_view name = declaration.callee.substr(1);
    if (name.starts_with('"')) name = name.substr(1, name.size() - 2);
    name_ = name;
    parts_ = split(name, '.');
  }

  Result<Builtin> write() {
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
    std::string text;
    auto form = mathematics(family, text);
    if (!form) form = collective(family, text);
    return form ? by_element(*form) : unknown();
  }

 private:
  Result<Builtin> unknown() const {
    return error(Error::Kind::compile, fmt::format("{}: this function of Apple's compiler is not known here", name_));
  }

  /// "define internal i32 @air.f(i32 %0, i32 %1) alwaysinline {", with the site as a last parameter.
  std::string head(bool has_site) const {
    std::string parameters;
    for (std::size_t n = 0; n < declaration_.arguments.size(); ++n)
      parameters += fmt::format("{}{} %a{}", n == 0 ? "" : ", ", declaration_.arguments[n].type, n);
    if (has_site) parameters += parameters.empty() ? "ptr %site" : ", ptr %site";
    return fmt::format("define internal {} {}({}) alwaysinline nounwind {{\n", declaration_.type, declaration_.callee,
                       parameters);
  }

  Result<Builtin> constant_result(const std::string& value) const {
    return Builtin{fmt::format("{}  ret {}\n}}\n", head(false), value), {}, {}, {}, 0};
  }

  Result<Builtin> normalized() const {
    return Builtin{fmt::format("{0}  %c = icmp ne {1} %a0, 0\n  %r = zext i1 %c to {1}\n  ret {1} %r\n}}\n",
                               head(false), declaration_.type),
                   {},
                   {},
                   {},
                   0};
  }

  /// Joins the elements of a vector, or the products of two of them, the first ones first.
  Result<Builtin> folded(std::string_view product, std::string_view join) const {
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

  struct Parameter {
    std::string_view type;  ///< LLVM's
    std::string metal, value;
  };

  /// The definition of the Metal function, which returns `result` [Metal's type].
  Builtin function(const std::string& name, const std::string& result, const std::vector<Parameter>& parameters,
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

  static std::string call(const Builtin& made, std::string_view type, const std::vector<Parameter>& parameters) {
    std::string list;
    for (const Parameter& one : parameters)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", one.type, one.value);
    if (made.has_site()) list += list.empty() ? "ptr %site" : ", ptr %site";
    return fmt::format("call {} @{}({})", type, made.function, list);
  }

  /// A name that no other function with other types has.
  std::string scalar_name(bool is_unsigned, std::span<const Parameter> parameters) const {
    std::string name(parts_[1]);
    for (const Parameter& one : parameters) name += fmt::format("_{}", one.type);
    return name + (is_unsigned ? "_u" : "") + "_" + std::string(shape_of(declaration_.type).element);
  }

  /// A function of scalars that is called as it is.
  Result<Builtin> scalar(std::string_view body, std::vector<Parameter> parameters, bool has_site,
                         abi::Needs needs = abi::Needs::active_lanes, std::string_view operation = {}) const {
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

  /// A function of each element.
  Result<Builtin> by_element(const Form& form) const {
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

  /// The calls for each element, and the vector of their results.
  std::string elements(const Builtin& made, const Shape& shape, const std::vector<Parameter>& parameters,
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

  /// "air.convert.f.v2f32.s.v2i32": to float from int.
  Result<Builtin> converted() const {
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

  Result<Builtin> barrier(std::string_view name) const {
    return scalar(fmt::format("metal::{}(metal::mem_flags(a), *site)", name), {{"i32", "uint", "%a0"}}, true,
                  abi::Needs::active_lanes, name);
  }

  /// Returns the sine and writes the cosine.
  Result<Builtin> sincos() const {
    const std::string type = metal_type(declaration_.type, false);
    if (type.empty() || declaration_.arguments.size() != 2) return unknown();
    return scalar("metal::sincos(a, *b)",
                  {{declaration_.type, type, "%a0"}, {"ptr", fmt::format("thread {}*", type), "%a1"}}, false);
  }

  /// "air.atomic.global.add.u.i32", "air.atomic.local.cmpxchg.weak.i32", "air.atomic.fence".
  Result<Builtin> atomic() const {
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
    if (!is_in(fetches, action)) return unknown();
    return scalar(fmt::format("metal::atomic_fetch_{}_explicit(a, b, metal::memory_order(c))", action),
                  {object, operand, order}, false);
  }

  /// The two elements of a lane, of an argument or a result that has the 64 of a matrix.
  static std::string taken_apart(std::string_view type, unsigned argument) {
    return fmt::format("  %x{0}.0 = extractelement {1} %a{0}, i64 0\n  %x{0}.1 = extractelement {1} %a{0}, i64 1\n",
                       argument, type);
  }

  /// Joins the bits that a function returns to the 64 elements, of which the calling lane has the first two.
  std::string joined(const std::string& call, const Shape& shape) const {
    std::string mask = "i32 0, i32 1";
    for (int n = 2; n < 64; ++n) mask += ", i32 poison";
    return fmt::format(
        "  %r = {0}\n  %e = bitcast {1} %r to <2 x {2}>\n  %v = shufflevector <2 x {2}> %e, <2 x {2}> "
        "poison, <64 x i32> <{3}>\n  ret {4} %v\n}}\n",
        call, bits_of(shape.element), shape.element, mask, declaration_.type);
  }
  static std::string_view bits_of(std::string_view element) { return element == "float" ? "i64" : "i32"; }
  static std::string metal_bits_of(std::string_view element) { return element == "float" ? "ulong" : "uint"; }

  Result<Builtin> matrix(std::string_view action) const {
    if (action == "init_filled") return filled();
    if (action == "init_diag") return diagonal();
    if (action == "multiply_accumulate") return product();
    if (action == "load" || action == "store") return moved(action == "load");
    return unknown();
  }

  Result<Builtin> filled() const {
    const std::string_view element = declaration_.arguments.at(0).type;
    return Builtin{
        fmt::format("{0}  %x = insertelement {1} poison, {2} %a0, i64 0\n  %v = insertelement {1} %x, {2} %a0, "
                    "i64 1\n  ret {1} %v\n}}\n",
                    head(false), declaration_.type, element),
        {},
        {},
        {},
        0};
  }

  Result<Builtin> diagonal() const {
    const std::string_view element = declaration_.arguments.at(0).type;
    const std::vector<Parameter> parameters = {{element, metal_type(element, false), "%a0"}};
    Builtin made = function(fmt::format("matrix_diagonal_{}", element), metal_bits_of(element), parameters,
                            "metal::assay_air::matrix_diagonal(a, *site)", "simdgroup_matrix", abi::Needs::all_lanes);
    made.definition = head(true) + joined(call(made, bits_of(element), parameters), {element, 64});
    return made;
  }

  Result<Builtin> product() const {
    if (declaration_.arguments.size() != 3) return unknown();
    const Shape shape = shape_of(declaration_.type);
    std::vector<Parameter> parameters;
    std::string text = head(true), name = fmt::format("matrix_product_{}", shape.element), types;
    for (unsigned n = 0; n < 3; ++n) {
      const std::string_view element = shape_of(declaration_.arguments[n].type).element;
      text += taken_apart(declaration_.arguments[n].type, n);
      name += fmt::format("_{}", element);
      types += fmt::format(", {}", metal_type(element, false));
      for (unsigned k = 0; k < 2; ++k)
        parameters.push_back({element, metal_type(element, false), fmt::format("%x{}.{}", n, k)});
    }
    const auto pair = [&](std::size_t n, char first) {
      return fmt::format("metal::vec<{}, 2>({}, {})", parameters[n].metal, first, static_cast<char>(first + 1));
    };
    Builtin made =
        function(name, metal_bits_of(shape.element), parameters,
                 fmt::format("metal::assay_air::matrix_product<{}{}>({}, {}, {}, *site)",
                             metal_type(shape.element, false), types, pair(0, 'a'), pair(2, 'c'), pair(4, 'e')),
                 "simdgroup_multiply_accumulate", abi::Needs::all_lanes);
    made.definition = text + joined(call(made, bits_of(shape.element), parameters), shape);
    return made;
  }

  /// The address of the first element and the distances of columns and rows, from the two forms of the arguments: AIR
  /// 2.6 has elements per row, origin and whether it is transposed; AIR 2.8 extents, distances and origin.
  std::string place(std::string_view element, unsigned first) const {
    const std::string at = fmt::format("%a{}", first);
    const bool is_old = declaration_.arguments[first + 1].type == "i64";
    std::string text = fmt::format(
        "  %ox = extractelement <2 x i64> %a{0}, i64 0\n  %oy = extractelement <2 x i64> %a{0}, "
        "i64 1\n",
        first + (is_old ? 2 : 3));
    if (is_old)
      text += fmt::format(
          "  %dx = select i1 %a{1}, i64 %a{0}, i64 1\n  %dy = select i1 %a{1}, i64 1, i64 %a{0}\n"
          "  %sy = mul i64 %oy, %a{0}\n  %offset = add i64 %ox, %sy\n",
          first + 1, first + 3);
    else
      text += fmt::format(
          "  %dx = extractelement <2 x i64> %a{0}, i64 0\n  %dy = extractelement <2 x i64> %a{0}, i64 1\n"
          "  %sx = mul i64 %ox, %dx\n  %sy = mul i64 %oy, %dy\n  %offset = add i64 %sx, %sy\n",
          first + 2);
    return text + fmt::format("  %base = getelementptr {}, ptr {}, i64 %offset\n", element, at);
  }

  Result<Builtin> moved(bool is_load) const {
    const unsigned first = is_load ? 0 : 1;
    if (declaration_.arguments.size() != first + 4) return unknown();
    const std::string_view whole = is_load ? declaration_.type : declaration_.arguments[0].type;
    const Shape shape = shape_of(whole);
    const std::string type = metal_type(shape.element, false);
    if (type.empty() || shape.count != 64) return unknown();
    std::vector<Parameter> parameters = {{"ptr", fmt::format("device {}{}*", is_load ? "const " : "", type), "%base"},
                                         {"i64", "ulong", "%dx"},
                                         {"i64", "ulong", "%dy"}};
    if (!is_load)
      for (unsigned k = 0; k < 2; ++k) parameters.push_back({shape.element, type, fmt::format("%x0.{}", k)});
    const std::string body = fmt::format("metal::assay_air::matrix_{}<{}>({{a, b, c}}, {}*site)",
                                         is_load ? "load" : "store", type, is_load ? "" : "d, e, ");
    Builtin made = function(fmt::format("matrix_{}_{}", is_load ? "load" : "store", shape.element),
                            is_load ? metal_bits_of(shape.element) : "void", parameters, body,
                            is_load ? "simdgroup_load" : "simdgroup_store", abi::Needs::all_lanes);
    made.definition = head(true) + (is_load ? "" : taken_apart(whole, 0)) + place(shape.element, first);
    if (is_load)
      made.definition += joined(call(made, bits_of(shape.element), parameters), shape);
    else
      made.definition += fmt::format("  {}\n  ret void\n}}\n", call(made, "void", parameters));
    return made;
  }

  const ir::Call& declaration_;
  std::string_view name_;
  Words parts_;
};

}  // namespace

Result<Builtin> builtin(const ir::Call& declaration) {
  return Writer(declaration).write();
}

}  // namespace assay::metal::emulator::air
