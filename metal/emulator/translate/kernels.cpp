#include "metal/emulator/translate/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

namespace assay::metal::emulator {

namespace {

struct Heading {
  bool is_kernel = false;
  std::string host_name, max_threads;
};

struct Instantiation {
  std::size_t name = 0, last = 0;         ///< f<float>, without the scope
  std::size_t first = 0;                  ///< the same with the scope
  std::optional<std::size_t> parameters;  ///< (
};

Heading read_heading(const Source& source, const Declaration& declaration) {
  const std::size_t first = declaration.first;
  const std::size_t last = declaration.kind == DeclarationKind::function ? declaration.parameters : declaration.last;
  Heading heading;
  for (std::size_t n = first; n < last; ++n)
    heading.is_kernel = heading.is_kernel || (source[n] == "kernel" && source.is_identifier(n));
  for (const Attribute& attribute : source.attributes(first, last)) {
    const std::string value = source.join(attribute);
    if (attribute.name == "host_name") heading.host_name = value;
    if (attribute.name == "max_total_threads_per_threadgroup") heading.max_threads = value;
  }
  return heading;
}

/// template attributes type name [<arguments>] [(parameters)] ;
Instantiation read_instantiation(const Source& source, const Declaration& declaration) {
  const std::size_t end = declaration.last - 1;
  Instantiation found;
  found.first = source.type_end(declaration.first + 1, end);
  found.name = found.first;
  while (source[found.name] == "::" || source[found.name + 1] == "::") ++found.name;
  if (found.first == declaration.first + 1 || !source.is_identifier(found.name))
    source.fail(declaration.first, "cannot read this instantiation of a kernel");
  found.last = found.name + 1;
  if (source[found.last] == "<")
    if (const auto close = source.match_angle(found.last)) found.last = *close + 1;
  if (source[found.last] == "(") found.parameters = found.last;
  return found;
}

class Finder {
 public:
  Finder(const Source& source, const std::vector<Declaration>& declarations, Edits& edits)
      : source_(source), declarations_(declarations), edits_(edits) {}

  void definition(std::size_t number) {
    const Declaration& declaration = declarations_[number];
    const Heading heading = read_heading(source_, declaration);
    if (!heading.is_kernel || declaration.body == no_token) return;
    expect_void(declaration);
    KernelDefinition kernel;
    kernel.declaration = number;
    kernel.scope = declaration.scope;
    kernel.name = source_[declaration.name].text;
    kernel.is_template = declaration.is_template;
    kernel.place = source_[declaration.name].place;
    kernel.host_name = heading.host_name;
    kernel.max_threads = heading.max_threads;
    if (kernel.is_template && !kernel.max_threads.empty()) declare_max_threads(declaration, kernel);
    read_parameters(declaration, kernel);
    result_.definitions.push_back(kernel);
    if (kernel.is_template) return;
    const std::string host_name = kernel.host_name.empty() ? fmt::format("\"{}\"", kernel.name) : kernel.host_name;
    result_.entries.push_back({result_.definitions.size() - 1,
                               host_name,
                               "&" + kernel.scope + kernel.name,
                               kernel.max_threads,
                               kernel.place,
                               {},
                               {}});
  }

  void instantiation(const Declaration& declaration) {
    const Heading heading = read_heading(source_, declaration);
    if (!heading.is_kernel && heading.host_name.empty()) return;
    if (!heading.is_kernel) refuse_visible(declaration);
    const Instantiation found = read_instantiation(source_, declaration);
    KernelEntry entry;
    entry.instantiation = source_.join(found.name, found.last);
    entry.host_name = heading.host_name.empty() ? fmt::format("\"{}\"", entry.instantiation) : heading.host_name;
    const std::size_t definition = definition_of(found, declaration.scope);
    entry.definition = definition;
    entry.place = source_[found.name].place;
    entry.template_arguments = arguments_of(found, definition);
    const std::size_t id = result_.entries.size();
    std::string text = pointer_to(found, id);
    if (!result_.definitions[definition].max_threads.empty()) {
      text += max_threads_of(found, id, definition);
      entry.max_threads = fmt::format("{}assay_max_{}", declaration.scope, id);
    }
    entry.function = fmt::format("{}assay_kernel_{}", declaration.scope, id);
    edits_.replace(declaration.first, declaration.last, text);
    result_.entries.push_back(entry);
  }

  Kernels found() && { return std::move(result_); }

 private:
  /// One kernel that takes what is not supported does not keep the others from running.
  void read_parameters(const Declaration& declaration, KernelDefinition& kernel) const try {
    kernel.parameters = kernel_parameters(source_, declarations_, declaration.parameters);
  } catch (const TranslationError& refusal) {
    kernel.refusal = refusal.what();
  }

  void expect_void(const Declaration& declaration) const {
    for (std::size_t n = declaration.specifiers; n < declaration.name; ++n)
      if (source_[n] == "void") return;
    source_.fail(declaration.name, fmt::format("kernel '{}' has to return void", source_[declaration.name].text));
  }

  void refuse_visible(const Declaration& declaration) const {
    for (const Attribute& attribute : source_.attributes(declaration.first, declaration.last))
      if (attribute.name == "visible")
        source_.fail(declaration.first,
                     "this is an instance of a template that is [[visible]], which is not supported");
  }

  /// Whether the instantiation may mean this template, as far as can be told from the numbers of arguments.
  bool fits(const Instantiation& instantiation, const KernelDefinition& kernel) const {
    if (kernel.name != source_[instantiation.name].text || !kernel.is_template) return false;
    const bool has_arguments = instantiation.last > instantiation.name + 1;
    const auto parameters = template_parameters(source_, declarations_[kernel.declaration]);
    if (has_arguments &&
        !may_be_arguments(source_, instantiation.name + 1, parameters, instantiation.parameters.has_value()))
      return false;
    return !instantiation.parameters ||
           split_parameters(source_, *instantiation.parameters).size() ==
               split_parameters(source_, declarations_[kernel.declaration].parameters).size();
  }

  std::size_t definition_of(const Instantiation& instantiation, const std::string& scope) const {
    const std::string_view name = source_[instantiation.name].text;
    std::optional<std::size_t> found;
    for (std::size_t n = 0; n < result_.definitions.size(); ++n) {
      const KernelDefinition& kernel = result_.definitions[n];
      if (!fits(instantiation, kernel)) continue;
      if (found && (kernel.scope != scope) != (result_.definitions[*found].scope != scope)) {
        if (kernel.scope == scope) found = n;
      } else if (found) {
        source_.fail(instantiation.name,
                     fmt::format("there are several kernel templates '{}' that this may mean", name));
      } else {
        found = n;
      }
    }
    if (!found)
      source_.fail(instantiation.name, fmt::format("there is no kernel template '{}' of this form before this", name));
    return *found;
  }

  TemplateArguments arguments_of(const Instantiation& instantiation, std::size_t definition) const {
    TemplateArguments arguments;
    if (instantiation.last == instantiation.name + 1) return arguments;
    const Declaration& declaration = declarations_[result_.definitions[definition].declaration];
    const auto parameters = template_parameters(source_, declaration);
    const auto given = split_angles(source_, instantiation.name + 1);
    for (std::size_t n = 0; n < std::min(parameters.size(), given.size()); ++n)
      arguments.emplace(parameters[n].name, source_.join(given[n].first, given[n].second));
    return arguments;
  }

  /// If the instantiation lists parameters, these select the template's arguments: through the type of a function that
  /// is declared with the same parameters.
  std::string pointer_to(const Instantiation& found, std::size_t id) const {
    const std::string function = source_.join(found.first, found.last);
    if (!found.parameters) return fmt::format("static constexpr auto assay_kernel_{} = &{};", id, function);
    std::string parameters;
    for (const auto& [first, last] : split_parameters(source_, *found.parameters))
      parameters.append(parameters.empty() ? "" : ", ").append(source_.join_without_address_spaces(first, last));
    return fmt::format(
        "static void assay_like_{0}({1}); static constexpr decltype(&assay_like_{0}) assay_kernel_{0} = &{2};", id,
        parameters, function);
  }

  /// The attribute may depend on the template's parameters, so it becomes a variable template with the same parameters.
  void declare_max_threads(const Declaration& declaration, const KernelDefinition& kernel) {
    edits_.insert(declaration.first, fmt::format("{} static constexpr unsigned assay_max_threads_{} = ({}); ",
                                                 source_.join(declaration.first, declaration.specifiers),
                                                 result_.definitions.size(), kernel.max_threads));
  }

  std::string max_threads_of(const Instantiation& found, std::size_t id, std::size_t definition) const {
    if (found.last == found.name + 1)
      source_.fail(found.name, "max_total_threads_per_threadgroup needs the template's arguments to be written out");
    return fmt::format(" static constexpr unsigned assay_max_{} = {}assay_max_threads_{}{};", id,
                       source_.join(found.first, found.name), definition, source_.join(found.name + 1, found.last));
  }

  const Source& source_;
  const std::vector<Declaration>& declarations_;
  Edits& edits_;
  Kernels result_;
};

/// Files that are linked to one library may each have a kernel of the same name.
void refuse_same_names(const Kernels& kernels) {
  std::map<std::string_view, TextPlace> known;
  for (const KernelEntry& entry : kernels.entries) {
    const auto [first, is_new] = known.try_emplace(entry.host_name, entry.place);
    if (is_new || first->second.file == entry.place.file) continue;
    throw TranslationError(
        fmt::format("{}: error: kernel {} is at {} too: kernels of one library have different names\n",
                    to_string(entry.place), entry.host_name, to_string(first->second)));
  }
}

}  // namespace

Kernels translate_kernels(const Source& source, const std::vector<Declaration>& declarations, Edits& edits) {
  Finder finder(source, declarations, edits);
  for (std::size_t n = 0; n < declarations.size(); ++n) {
    const Declaration& declaration = declarations[n];
    if (declaration.kind == DeclarationKind::function && !declaration.is_member) finder.definition(n);
    if (declaration.kind == DeclarationKind::instantiation) finder.instantiation(declaration);
  }
  Kernels kernels = std::move(finder).found();
  refuse_same_names(kernels);
  return kernels;
}

bool declares_kernel(const Source& source, const Declaration& declaration) {
  const Heading heading = read_heading(source, declaration);
  return heading.is_kernel || (declaration.kind == DeclarationKind::instantiation && !heading.host_name.empty());
}

std::string kernel_name(const Source& source, const Declaration& declaration) {
  const std::string host_name = read_heading(source, declaration).host_name;
  if (!host_name.empty()) return literal_text(host_name);
  if (declaration.kind == DeclarationKind::function) return std::string(source[declaration.name].text);
  const Instantiation found = read_instantiation(source, declaration);
  return source.join(found.name, found.last);
}

std::string literal_text(std::string_view literal) {
  std::string text;
  bool is_inside = false;
  for (std::size_t n = 0; n < literal.size(); ++n) {
    if (literal[n] == '"')
      is_inside = !is_inside;
    else if (is_inside)
      text += literal[n] == '\\' && n + 1 < literal.size() ? literal[++n] : literal[n];
  }
  return text;
}

}  // namespace assay::metal::emulator
