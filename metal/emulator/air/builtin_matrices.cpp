// Matrices of simdgroups.
#include <fmt/format.h>

#include "metal/emulator/air/builtin_writer.h"

namespace assay::metal::emulator::air {

std::string Writer::taken_apart(std::string_view type, unsigned argument) {
  return fmt::format("  %x{0}.0 = extractelement {1} %a{0}, i64 0\n  %x{0}.1 = extractelement {1} %a{0}, i64 1\n",
                     argument, type);
}

std::string Writer::joined(const std::string& call, const Shape& shape) const {
  std::string mask = "i32 0, i32 1";
  for (int n = 2; n < 64; ++n) mask += ", i32 poison";
  return fmt::format(
      "  %r = {0}\n  %e = bitcast {1} %r to <2 x {2}>\n  %v = shufflevector <2 x {2}> %e, <2 x {2}> "
      "poison, <64 x i32> <{3}>\n  ret {4} %v\n}}\n",
      call, bits_of(shape.element), shape.element, mask, declaration_.type);
}

Result<Builtin> Writer::matrix(std::string_view action) const {
  if (action == "init_filled") return filled();
  if (action == "init_diag") return diagonal();
  if (action == "multiply_accumulate") return product();
  if (action == "load" || action == "store") return moved(action == "load");
  return unknown();
}

Result<Builtin> Writer::filled() const {
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

Result<Builtin> Writer::diagonal() const {
  const std::string_view element = declaration_.arguments.at(0).type;
  const std::vector<Parameter> parameters = {{element, metal_type(element, false), "%a0"}};
  Builtin made = function(fmt::format("matrix_diagonal_{}", element), metal_bits_of(element), parameters,
                          "metal::assay_air::matrix_diagonal(a, *site)", "simdgroup_matrix", abi::Needs::all_lanes);
  made.definition = head(true) + joined(call(made, bits_of(element), parameters), {element, 64});
  return made;
}

Result<Builtin> Writer::product() const {
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

std::string Writer::place(std::string_view element, unsigned first) const {
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

Result<Builtin> Writer::moved(bool is_load) const {
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

}  // namespace assay::metal::emulator::air
