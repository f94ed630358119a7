#include "metal/emulator/air/entry.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <string_view>

#include "metal/emulator/air/declarations.h"
#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

namespace {

/// Builds the kernel's arguments from what the Metal text passes: an address, or coordinates of 32 bits.
class KernelCall {
 public:
  void add(std::size_t n, std::string_view type, unsigned coordinates) {
    if (type == "ptr") {
      parameter("ptr", fmt::format("%a{}", n));
      return argument(type, fmt::format("%a{}", n));
    }
    const bool is_vector = type.starts_with('<');
    const std::string element(is_vector ? type.substr(type.find(" x ") + 3, type.size() - type.find(" x ") - 4) : type);
    std::string whole = "poison";
    for (unsigned k = 0; k < coordinates; ++k) {
      const std::string given = fmt::format("%a{}.{}", n, k);
      parameter("i32", given);
      const std::string part = narrowed(given, element);
      if (is_vector) {
        text_ += fmt::format("  %v{}.{} = insertelement {} {}, {} {}, i64 {}\n", n, k, type, whole, element, part, k);
        whole = fmt::format("%v{}.{}", n, k);
      } else {
        whole = part;
      }
    }
    argument(type, whole);
  }

  std::string definition(const std::string& function, const std::string& before) const {
    return fmt::format(
        "define void @assay_air_kernel({}) alwaysinline nounwind {{\n{}{}  call void {}({})\n  ret void\n}}\n",
        parameters_, before, text_, function, arguments_);
  }

 private:
  std::string narrowed(const std::string& given, const std::string& element) {
    if (element == "i32") return given;
    const std::string name = given + ".narrow";
    text_ += fmt::format("  {} = {} i32 {} to {}\n", name, element == "i64" ? "zext" : "trunc", given, element);
    return name;
  }
  void parameter(std::string_view type, const std::string& name) {
    parameters_ += fmt::format("{}{} {}", parameters_.empty() ? "" : ", ", type, name);
  }
  void argument(std::string_view type, const std::string& value) {
    arguments_ += fmt::format("{}{} {}", arguments_.empty() ? "" : ", ", type, value);
  }

  std::string parameters_, arguments_, text_;
};

std::string calls_of(const std::vector<std::string>& constructors) {
  std::string text;
  for (const std::string& one : constructors) text += fmt::format("  call void {}()\n", one);
  return text;
}

/// LLVM's types of a function constant as an argument and in memory; empty if it is no scalar.
std::pair<std::string, std::string> types_of(const std::string& type) {
  static const std::map<std::string_view, std::pair<std::string, std::string>> types = {
      {"bool", {"i1", "i8"}},     {"char", {"i8", "i8"}},     {"uchar", {"i8", "i8"}},      {"short", {"i16", "i16"}},
      {"ushort", {"i16", "i16"}}, {"int", {"i32", "i32"}},    {"uint", {"i32", "i32"}},     {"long", {"i64", "i64"}},
      {"ulong", {"i64", "i64"}},  {"half", {"half", "half"}}, {"float", {"float", "float"}}};
  const auto found = types.find(type);
  return found == types.end() ? std::pair<std::string, std::string>() : found->second;
}

Result<std::string> initialisation(const std::vector<KernelConstant>& constants,
                                   const std::vector<std::string>& constructors) {
  std::string parameters, text;
  for (std::size_t n = 0; n < constants.size(); ++n) {
    const auto [given, kept] = types_of(constants[n].type);
    if (given.empty())
      return error(Error::Kind::compile, fmt::format("function constant {} `{}`: its type is {}, expected a scalar",
                                                     constants[n].index, constants[n].name, constants[n].type));
    parameters += fmt::format("{}{} %c{}", n == 0 ? "" : ", ", given, n);
    std::string value = fmt::format("%c{}", n);
    if (given != kept)
      text += fmt::format("  %k{0} = zext {1} %c{0} to {2}\n", n, given, kept), value = fmt::format("%k{}", n);
    text += fmt::format("  store {} {}, ptr {}\n", kept, value, constants[n].variable);
  }
  return fmt::format("define i1 @assay_air_initialise({}) alwaysinline nounwind {{\n{}{}  ret i1 true\n}}\n",
                     parameters, text, calls_of(constructors));
}

/// The conditions of arguments that are no function constants but computed from them.
std::string predicates(const KernelMetadata& kernel) {
  std::set<std::string> known;
  for (const KernelConstant& one : kernel.constants) known.insert(one.name);
  std::string text;
  for (std::size_t n = 0; n < kernel.arguments.size(); ++n) {
    const KernelArgument& argument = kernel.arguments[n];
    if (argument.condition.empty() || !known.insert(argument.condition).second) continue;
    text += fmt::format(
        "define i1 @assay_air_predicate_{0}(i1 %initialised) alwaysinline nounwind {{\n  %v = load i8, ptr {1}\n"
        "  %c = icmp ne i8 %v, 0\n  ret i1 %c\n}}\n",
        n, argument.predicate);
  }
  return text;
}

}  // namespace

Result<std::string> entry_functions(const KernelMetadata& kernel, const std::string& signature,
                                    const std::vector<std::string>& constructors) {
  const auto parameters = ir::parts(std::string_view(signature).substr(1, signature.size() - 2));
  if (parameters.size() != kernel.arguments.size())
    return error(Error::Kind::compile,
                 fmt::format("{}: {} parameters and {} arguments in its metadata, expected as many", kernel.function,
                             parameters.size(), kernel.arguments.size()));
  KernelCall call;
  for (std::size_t n = 0; n < parameters.size(); ++n)
    call.add(n, ir::value(parameters[n]).type, coordinates_of(kernel.arguments[n].type));
  if (kernel.constants.empty()) return call.definition(kernel.function, calls_of(constructors));
  auto initialised = initialisation(kernel.constants, constructors);
  if (!initialised) return initialised;
  return call.definition(kernel.function, "") + *initialised + predicates(kernel);
}

}  // namespace assay::metal::emulator::air
