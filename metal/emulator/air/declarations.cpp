#include "metal/emulator/air/declarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

namespace assay::metal::emulator::air {

namespace {

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

constexpr const char* qualifier(const KernelArgument& argument) {
  switch (argument.space) {
    case abi::AddressSpace::threadgroup:
      return "threadgroup ";
    case abi::AddressSpace::constant:
      return "constant ";
    default:
      return argument.is_written ? "device " : "device const ";
  }
}

/// "mlx::steel::GEMMParams" is GEMMParams, "complex_t<float>" complex_t_float.
std::string struct_name(std::string_view type, std::size_t n) {
  std::string name;
  const std::size_t bracket = type.find_first_of("<(");
  const std::size_t scope = type.substr(0, bracket).rfind("::");
  type = type.substr(scope == std::string_view::npos ? 0 : scope + 2);
  for (const char letter : type)
    if (is_word(letter))
      name += letter;
    else if (!name.empty() && name.back() != '_')
      name += '_';
  while (name.ends_with('_')) name.pop_back();
  const bool is_long = name.size() > 40 || name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0;
  return is_long ? fmt::format("type_of_argument_{}", n) : name;
}

class Text {
 public:
  Text(const KernelMetadata& kernel, const std::string& name) : kernel_(kernel), name_(name) {}

  std::string write(const std::string& functions) {
    for (std::size_t n = 0; n < kernel_.arguments.size(); ++n) add(kernel_.arguments[n], n);
    const std::string limit =
        kernel_.max_threads == 0 ? "" : fmt::format("[[max_total_threads_per_threadgroup({})]] ", kernel_.max_threads);
    return fmt::format(
        "#include <assay/air.h>\n{}{}{}extern \"C\" void assay_air_kernel({});\n"
        "[[host_name(\"{}\")]] {}kernel void assay_compiled_kernel({}) {{\n  {}assay_air_kernel({});\n}}\n",
        functions, structs_, constants(), declared_, escaped(name_), limit, parameters_,
        kernel_.constants.empty() ? "" : "(void)assay_air_initialised; ", values_);
  }

 private:
  static std::string escaped(std::string_view text) {
    std::string all;
    for (const char letter : text) all.append(letter == '"' || letter == '\\' ? "\\" : "").append(1, letter);
    return all;
  }

  void add(const KernelArgument& argument, std::size_t n) {
    const std::string name = identifier(argument.name, n);
    const char* const comma = n == 0 ? "" : ", ";
    if (argument.kind == abi::ArgumentKind::position) {
      parameters_ += fmt::format("{}{} {} [[{}]]", comma, argument.type, name, argument.attribute);
      const unsigned count = coordinates_of(argument.type);
      for (unsigned k = 0; k < count; ++k) {
        values_ += fmt::format("{}uint({}{})", k == 0 ? comma : ", ", name, count == 1 ? "" : fmt::format("[{}]", k));
        declared_ += fmt::format("{}uint", k == 0 ? comma : ", ");
      }
      return;
    }
    const char* const place = argument.kind == abi::ArgumentKind::threadgroup ? "threadgroup" : "buffer";
    const std::string condition =
        argument.condition.empty() ? "" : fmt::format(", function_constant({})", identifier(argument.condition, n));
    parameters_ += fmt::format("{}{}{}{} {} [[{}({}){}]]", comma, qualifier(argument), type_of(argument, n),
                               argument.is_reference ? "&" : "*", name, place, argument.index, condition);
    values_ += fmt::format("{}(device void*){}{}", comma, argument.is_reference ? "&" : "", name);
    declared_ += fmt::format("{}device void*", comma);
  }

  /// A type that Metal does not have is a struct of as many bytes.
  std::string type_of(const KernelArgument& argument, std::size_t n) {
    std::string name = element_name(argument, n);
    if (name == argument.type && is_metal_type(name)) return name;
    if (name == "void") return name;
    const std::string body = fmt::format("{{ uchar bytes[{}]; }}", argument.bytes);
    const auto [known, is_new] = known_.try_emplace(name, body);
    if (!is_new && known->second == body) return name;
    if (!is_new) name = fmt::format("{}_{}", name, n);
    structs_ += fmt::format("struct alignas({}) {} {};\n", argument.alignment, name, body);
    return name;
  }

  /// The function constants, what computes the module's variables from them, and the conditions of arguments that are
  /// none of them.
  std::string constants() const {
    if (kernel_.constants.empty()) return {};
    std::string text, types, names;
    std::set<std::string> known;
    for (const KernelConstant& one : kernel_.constants) {
      text += fmt::format("constant {} {} [[function_constant({})]];\n", one.type, one.name, one.index);
      types += fmt::format("{}{}", types.empty() ? "" : ", ", one.type);
      names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
      known.insert(one.name);
    }
    text += fmt::format(
        "extern \"C\" bool assay_air_initialise({});\nconstant bool assay_air_initialised = "
        "assay_air_initialise({});\n",
        types, names);
    for (std::size_t n = 0; n < kernel_.arguments.size(); ++n) {
      const std::string& condition = kernel_.arguments[n].condition;
      if (!condition.empty() && known.insert(condition).second)
        text += fmt::format(
            "extern \"C\" bool assay_air_predicate_{0}(bool);\nconstant bool {1} = "
            "assay_air_predicate_{0}(assay_air_initialised);\n",
            n, identifier(condition, n));
    }
    return text;
  }

  const KernelMetadata& kernel_;
  const std::string& name_;
  std::string structs_, parameters_, declared_, values_;
  std::map<std::string, std::string> known_;
};

}  // namespace

std::string element_name(const KernelArgument& argument, std::size_t n) {
  const bool is_known = argument.type == "void" || is_metal_type(argument.type);
  return is_known ? argument.type : struct_name(argument.type, n);
}

std::string written_type(const KernelArgument& argument) {
  if (argument.kind == abi::ArgumentKind::position) return argument.type;
  return fmt::format("{}{}{}", qualifier(argument), argument.type, argument.is_reference ? "&" : "*");
}

bool is_metal_type(std::string_view type) {
  static constexpr std::array<std::string_view, 12> scalars = {"bool", "char", "uchar", "short", "ushort", "int",
                                                               "uint", "long", "ulong", "half",  "float",  "bfloat"};
  if (type.starts_with("packed_")) type.remove_prefix(7);
  if (!type.empty() && type.back() >= '2' && type.back() <= '4') type.remove_suffix(1);
  return std::ranges::find(scalars, type) != scalars.end();
}

unsigned coordinates_of(std::string_view type) {
  const char last = type.empty() ? ' ' : type.back();
  return last >= '2' && last <= '4' ? static_cast<unsigned>(last - '0') : 1;
}

std::string identifier(std::string_view name, std::size_t n) {
  const bool is_plain = !name.empty() && std::ranges::all_of(name, is_word) &&
                        std::isdigit(static_cast<unsigned char>(name.front())) == 0;
  return is_plain ? std::string(name) : fmt::format("argument_{}", n);
}

std::string metal_text(const KernelMetadata& kernel, const std::string& name, const std::string& functions) {
  return Text(kernel, name).write(functions);
}

}  // namespace assay::metal::emulator::air
