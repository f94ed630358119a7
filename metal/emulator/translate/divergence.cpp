#include "metal/emulator/translate/divergence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "metal/emulator/translate/divergence_walk.h"
#include "metal/emulator/translate/kernels.h"
#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

constexpr std::array<std::string_view, 6> own_positions = {
    "thread_position_in_grid",   "thread_position_in_threadgroup", "thread_index_in_threadgroup",
    "thread_index_in_simdgroup", "thread_index_in_quadgroup",      "quadgroup_index_in_threadgroup"};

struct FunctionParameter {
  std::string name;
  std::string_view type;
};

std::vector<FunctionParameter> parameters_of(const Source& source, std::size_t open) {
  std::vector<FunctionParameter> all;
  for (const auto& [first, last] : split_parameters(source, open)) {
    const std::size_t end = source.find(first, last, "=[");
    std::size_t name = end;
    while (name > first && (!source.is_identifier(name - 1) || source.is_attribute(name - 1))) --name;
    const std::size_t type = source.type_end(first, last);
    all.push_back({std::string(name > first ? source[name - 1].text : ""), type > first ? source[type - 1].text : ""});
  }
  return all;
}

/// The values of a parameter and of its members, for this argument.
void bind_parameter(const WalkedShader& shader, const FunctionParameter& parameter, const Argument& argument,
                    std::map<std::string, Value>& variables) {
  const auto members = shader.members.find(parameter.type);
  Value all = Value::uniform;
  std::size_t n = 0;
  for (const auto& [member, value] : argument) {
    const bool is_listed = !member.empty() && member.front() != '.';
    if (is_listed && members != shader.members.end() && n < members->second.size())
      variables[fmt::format("{}.{}", parameter.name, members->second[n])] = value;
    else if (is_listed)
      all = joined(all, value);
    else
      variables[parameter.name + member] = value;
    n += is_listed ? 1 : 0;
  }
  variables.emplace(parameter.name, all);
}

/// The last names before ; , [ and = in the class body that opens at `open`.
std::vector<std::string_view> members_of(const Source& source, std::size_t open) {
  std::vector<std::string_view> members;
  for (std::size_t n = open + 1; n < source.match(open); ++n) {
    const Token& next = source[n + 1];
    if (source[n] == "(" || source[n] == "{" || source[n] == "[") n = source.match(n);
    if (source.is_identifier(n) && (next == ";" || next == "," || next == "=" || next == "["))
      members.push_back(source[n].text);
  }
  return members;
}

/// Names with one number in the whole source: `constant uint lanes = 32;`, `enum { lanes = 32 };`.
std::map<std::string_view, std::uint64_t> constants_of(const Source& source) {
  std::map<std::string_view, std::uint64_t> constants;
  std::set<std::string_view> ambiguous;
  for (std::size_t n = 0; n + 3 < source.size(); ++n) {
    const std::string_view end = source[n + 3].text;
    if (!source.is_identifier(n) || !(source[n + 1] == "=") || (end != ";" && end != "," && end != "}")) continue;
    const std::string_view number = source[n + 2].text;
    std::uint64_t value = 0;
    if (source[n + 2].kind != TokenKind::number) continue;
    std::from_chars(number.data(), number.data() + number.size(), value);
    const auto [known, is_new] = constants.emplace(source[n].text, value);
    if (!is_new && known->second != value) ambiguous.insert(source[n].text);
  }
  for (const std::string_view name : ambiguous) constants.erase(name);
  return constants;
}

void walk_kernel(WalkedShader& shader, const Declaration& declaration, const std::vector<KernelParameter>& parameters) {
  std::map<std::string, Value> variables;
  for (const KernelParameter& parameter : parameters) {
    const bool is_own = std::ranges::find(own_positions, parameter.attribute) != own_positions.end();
    Value& value = variables.try_emplace(parameter.owner.empty() ? parameter.name : parameter.owner).first->second;
    value = joined(value, is_own ? Value::index : Value::uniform);
  }
  Walk(shader, std::move(variables), false).run(declaration.body);
}

bool is_kernel(const Source& source, const Declaration& declaration) {
  for (std::size_t n = declaration.first; n < declaration.parameters; ++n)
    if (source[n] == "kernel" && source.is_identifier(n)) return true;
  return false;
}

}  // namespace

Outcome WalkedShader::call(std::string_view name, const std::vector<Argument>& arguments) {
  Outcome all;
  for (const Argument& argument : arguments)
    for (const auto& [member, value] : argument) all.value = joined(all.value, value);
  bool is_known = false;
  const auto [first, last] = functions.equal_range(name);
  for (auto function = first; function != last; ++function) {
    const Declaration& declaration = *function->second;
    const std::vector<FunctionParameter> parameters = parameters_of(source, declaration.parameters);
    if (parameters.size() < arguments.size()) continue;
    const auto [outcome, is_new] = outcomes.emplace(std::pair(&declaration, arguments), all);
    if (is_new) {
      std::map<std::string, Value> variables;
      for (std::size_t n = 0; n < arguments.size(); ++n) bind_parameter(*this, parameters[n], arguments[n], variables);
      outcome->second = Walk(*this, std::move(variables), true).run(declaration.body);
    }
    const Outcome& one = outcome->second;
    all.value = is_known ? joined(all.value, one.value) : one.value;
    if (all.operation.empty()) all.operation = one.operation;
    is_known = true;
  }
  return all;
}

DivergentOperations find_divergent_operations(const Source& source, const std::vector<Declaration>& declarations) {
  WalkedShader shader{source};
  shader.constants = constants_of(source);
  for (const Declaration& declaration : declarations) {
    if (declaration.body == no_token) continue;
    if (declaration.kind == DeclarationKind::function)
      shader.functions.emplace(source[declaration.name].text, &declaration);
    else if (declaration.kind == DeclarationKind::type && source.is_identifier(declaration.body - 1))
      shader.members.emplace(source[declaration.body - 1].text, members_of(source, declaration.body));
  }
  for (const Declaration& declaration : declarations) {
    if (declaration.kind != DeclarationKind::function || declaration.body == no_token || declaration.is_member)
      continue;
    if (!is_kernel(source, declaration)) continue;
    const auto parameters = kernel_parameters(source, declarations, declaration.parameters);
    for (const KernelParameter& parameter : parameters)
      if (parameter.attribute == "threads_per_simdgroup" || parameter.attribute == "thread_execution_width")
        for (const auto& [first, last] : split_parameters(source, declaration.parameters))
          for (std::size_t n = first; n < last; ++n)
            if (source[n] == parameter.name) shader.constants[source[n].text] = 32;
    walk_kernel(shader, declaration, parameters);
  }
  return shader.found;
}

void mark_divergent_operations(const Source& source, const Declarations& declarations, Edits& edits) {
  for (const std::size_t name : find_divergent_operations(source, declarations).names) {
    const std::size_t open = source.find(name, source.size(), "(");
    if (source[name].text == "simdgroup_barrier") continue;
    const bool has_arguments = source.match(open) != open + 1;
    edits.insert(source.match(open),
                 has_arguments ? ", ::assay_shader_side::diverging" : "::assay_shader_side::diverging");
  }
}

}  // namespace assay::metal::emulator
