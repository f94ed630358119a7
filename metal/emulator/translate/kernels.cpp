#include "metal/emulator/translate/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace assay::metal::emulator {

namespace {

class Finder {
 public:
  Finder(const Source& source, Edits& edits) : source_(source), edits_(edits) {}

  void definition(const Declaration& declaration) {
    const Heading heading = read_heading(declaration.first, declaration.parameters);
    if (!heading.is_kernel || declaration.body == no_token) return;
    KernelDefinition kernel;
    kernel.scope = declaration.scope;
    kernel.name = source_[declaration.name].text;
    kernel.is_template = declaration.is_template;
    kernel.place = source_[declaration.name].place;
    kernel.host_name = heading.host_name;
    kernel.max_threads = heading.max_threads;
    if (kernel.is_template && !kernel.max_threads.empty()) declare_max_threads(declaration, kernel);
    kernel.parameters = kernel_parameters(source_, declaration.parameters);
    result_.definitions.push_back(kernel);
    if (kernel.is_template) return;
    const std::string host_name = kernel.host_name.empty() ? fmt::format("\"{}\"", kernel.name) : kernel.host_name;
    result_.entries.push_back({result_.definitions.size() - 1, host_name, "&" + kernel.scope + kernel.name,
                               kernel.max_threads, kernel.place});
  }

  void instantiation(const Declaration& declaration) {
    const Heading heading = read_heading(declaration.first, declaration.last);
    if (!heading.is_kernel && heading.host_name.empty()) return;
    const Instantiation found = read_instantiation(declaration);
    const std::size_t definition = definition_of(found, declaration.scope);
    KernelEntry entry;
    entry.definition = definition;
    entry.place = source_[found.name].place;
    entry.host_name =
        heading.host_name.empty() ? fmt::format("\"{}\"", source_.join(found.name, found.last)) : heading.host_name;
    const std::size_t id = result_.entries.size();
    std::string text = pointer_to(found, id);
    if (!result_.definitions[definition].max_threads.empty()) {
      text += max_threads_of(found, id);
      entry.max_threads = fmt::format("{}assay_max_{}", declaration.scope, id);
    }
    entry.function = fmt::format("{}assay_kernel_{}", declaration.scope, id);
    edits_.replace(declaration.first, declaration.last, text);
    result_.entries.push_back(entry);
  }

  Kernels found() && { return std::move(result_); }

 private:
  struct Heading {
    bool is_kernel = false;
    std::string host_name, max_threads;
  };

  struct Instantiation {
    std::size_t name = 0, last = 0;         ///< f<float>, without the scope
    std::size_t first = 0;                  ///< the same with the scope
    std::optional<std::size_t> parameters;  ///< (
  };

  Heading read_heading(std::size_t first, std::size_t last) const {
    Heading heading;
    for (std::size_t n = first; n < last; ++n)
      heading.is_kernel = heading.is_kernel || (source_[n] == "kernel" && source_.is_identifier(n));
    for (const Attribute& attribute : source_.attributes(first, last)) {
      const std::string value = source_.join(attribute);
      if (attribute.name == "host_name") heading.host_name = value;
      if (attribute.name == "max_total_threads_per_threadgroup") heading.max_threads = value;
    }
    return heading;
  }

  /// template attributes type name [<arguments>] [(parameters)] ;
  Instantiation read_instantiation(const Declaration& declaration) const {
    const std::size_t end = declaration.last - 1;
    Instantiation found;
    found.first = source_.type_end(declaration.first + 1, end);
    found.name = found.first;
    while (source_[found.name] == "::" || source_[found.name + 1] == "::") ++found.name;
    if (found.first == declaration.first + 1 || !source_.is_identifier(found.name))
      source_.fail(declaration.first, "cannot read this instantiation of a kernel");
    found.last = found.name + 1;
    if (source_[found.last] == "<")
      if (const auto close = source_.match_angle(found.last)) found.last = *close + 1;
    if (source_[found.last] == "(") found.parameters = found.last;
    return found;
  }

  std::size_t definition_of(const Instantiation& instantiation, const std::string& scope) const {
    const std::string_view name = source_[instantiation.name].text;
    std::optional<std::size_t> found;
    for (std::size_t n = 0; n < result_.definitions.size(); ++n) {
      const KernelDefinition& kernel = result_.definitions[n];
      const bool fits = kernel.name == name && kernel.is_template &&
                        (!instantiation.parameters ||
                         split_parameters(source_, *instantiation.parameters).size() == kernel.parameters.size());
      if (!fits) continue;
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
                                                 source_.join(declaration.first, declaration.specifiers), kernel.name,
                                                 kernel.max_threads));
  }

  std::string max_threads_of(const Instantiation& found, std::size_t id) const {
    if (found.last == found.name + 1)
      source_.fail(found.name, "max_total_threads_per_threadgroup needs the template's arguments to be written out");
    const std::string scope = source_.join(found.first, found.name), name = source_.join(found.name, found.last);
    return fmt::format(" static constexpr unsigned assay_max_{} = {}assay_max_threads_{};", id, scope, name);
  }

  const Source& source_;
  Edits& edits_;
  Kernels result_;
};

}  // namespace

Kernels translate_kernels(const Source& source, const std::vector<Declaration>& declarations, Edits& edits) {
  Finder finder(source, edits);
  for (const Declaration& declaration : declarations) {
    if (declaration.kind == DeclarationKind::function && !declaration.is_member) finder.definition(declaration);
    if (declaration.kind == DeclarationKind::instantiation) finder.instantiation(declaration);
  }
  return std::move(finder).found();
}

}  // namespace assay::metal::emulator
