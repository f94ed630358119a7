#include "metal/emulator/translate/templates.h"

#include <algorithm>

namespace assay::metal::emulator {

namespace {

TemplateParameter parameter(const Source& source, std::size_t first, std::size_t last) {
  TemplateParameter result;
  result.is_type = source[first] == "typename" || source[first] == "class" || source[first] == "template";
  const std::size_t end = source.find(first, last, "=");
  result.has_default = end != last;
  for (std::size_t n = first; n < end; ++n) result.is_pack = result.is_pack || source[n] == "...";
  // `typename = void` and `enable_if_t<...>` have no name.
  if (end > first + 1 && source.is_identifier(end - 1)) result.name = source[end - 1].text;
  return result;
}

/// Whether it cannot be a type. A name, also one that begins with ::, may be either.
bool is_value(const Source& source, std::size_t first) {
  if (source[first] == "::") return false;
  return source[first].kind != TokenKind::identifier || source[first] == "true" || source[first] == "false";
}

}  // namespace

std::vector<std::pair<std::size_t, std::size_t>> split_angles(const Source& source, std::size_t open) {
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  const std::size_t close = source.match_angle(open).value_or(open);
  std::size_t first = open + 1;
  for (std::size_t n = first; n < close; ++n) {
    if (source[n] == "<") n = std::min(source.match_angle(n).value_or(n), close);
    if (source[n] == "(" || source[n] == "[" || source[n] == "{") n = source.match(n);
    if (source[n] != ",") continue;
    parts.emplace_back(first, n);
    first = n + 1;
  }
  if (first < close) parts.emplace_back(first, close);
  return parts;
}

std::vector<TemplateParameter> template_parameters(const Source& source, const Declaration& declaration) {
  std::size_t open = declaration.first + 1;
  for (std::size_t n = open; n < declaration.specifiers; n = source.match_angle(n).value_or(n) + 2) open = n;
  std::vector<TemplateParameter> parameters;
  for (const auto& [first, last] : split_angles(source, open)) parameters.push_back(parameter(source, first, last));
  return parameters;
}

bool may_be_arguments(const Source& source, std::size_t open, const std::vector<TemplateParameter>& parameters,
                      bool may_deduce) {
  const auto arguments = split_angles(source, open);
  const bool has_pack = !parameters.empty() && parameters.back().is_pack;
  if (arguments.size() > parameters.size()) return has_pack;
  for (std::size_t n = 0; n < arguments.size(); ++n) {
    if (parameters[n].is_pack) return true;
    if (parameters[n].is_type ? is_value(source, arguments[n].first) : source.is_fundamental_type(arguments[n].first))
      return false;
  }
  return may_deduce || std::all_of(parameters.begin() + static_cast<std::ptrdiff_t>(arguments.size()), parameters.end(),
                                   [](const auto& one) { return one.has_default || one.is_pack; });
}

std::string substituted(std::string_view text, const TemplateArguments& arguments) {
  std::string result;
  const auto is_part = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (std::size_t n = 0; n < text.size();) {
    std::size_t end = n;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::string_view word = text.substr(n, std::max<std::size_t>(end - n, 1));
    const auto argument = arguments.find(word);
    result.append(argument == arguments.end() ? word : std::string_view(argument->second));
    n += word.size();
  }
  return result;
}

}  // namespace assay::metal::emulator
