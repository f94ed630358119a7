#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "metal/emulator/translate/passes.h"

namespace assay::metal::emulator {

namespace {

constexpr std::array<std::string_view, 6> not_in_buffers = {"sampler",
                                                            "command_buffer",
                                                            "compute_pipeline_state",
                                                            "render_pipeline_state",
                                                            "visible_function_table",
                                                            "intersection_function_table"};

bool is_resource(std::string_view type) {
  const auto is_in = [type](const auto& types) { return std::ranges::find(types, type) != types.end(); };
  return is_in(texture_types) || is_in(unsupported_texture_types) || is_in(not_in_buffers) ||
         type.ends_with("acceleration_structure");
}

/// Looks through the members of structs, and of the structs that these contain or point to.
class ArgumentBuffers {
 public:
  ArgumentBuffers(const Source& source, const Declarations& declarations)
      : source_(source), declarations_(declarations) {}

  void look_into(std::string_view type, const std::string& taken_as) {
    if (!seen_.insert(type).second) return;
    for (const Declaration& candidate : declarations_)
      if (candidate.kind == DeclarationKind::type && candidate.body != no_token &&
          source_[type_name(source_, candidate)] == type)
        for (const Declaration& member : declarations_)
          if (is_member_of(source_, member, candidate)) look_at(member, taken_as);
  }

 private:
  void look_at(const Declaration& member, const std::string& taken_as) {
    const std::size_t end = source_.type_end(member.specifiers, member.last);
    for (std::size_t n = member.specifiers; n < end; ++n) {
      if (!source_.is_identifier(n) || source_.is_attribute(n)) continue;
      if (is_resource(source_[n].text))
        source_.fail(n, fmt::format("{} in an argument buffer, which {}, is not supported: expected buffers alone; "
                                    "make it an argument of the kernel",
                                    source_[n].text, taken_as));
      look_into(source_[n].text, taken_as);
    }
  }

  const Source& source_;
  const Declarations& declarations_;
  std::set<std::string_view> seen_;
};

}  // namespace

void refuse_resources_in_buffers(const Source& source, const Declarations& declarations, const Kernels& kernels) {
  for (const KernelEntry& entry : kernels.entries) {
    const KernelDefinition& kernel = kernels.definitions[entry.definition];
    ArgumentBuffers buffers(source, declarations);
    for (const KernelParameter& parameter : kernel.parameters) {
      if (parameter.kind != abi::ArgumentKind::buffer || parameter.is_function_table) continue;
      const std::string_view type = parameter.element_type;
      const std::size_t scope = type.rfind("::");
      buffers.look_into(type.substr(scope == std::string_view::npos ? 0 : scope + 2),
                        fmt::format("kernel '{}' takes as '{}'", kernel.name, parameter.name));
    }
  }
}

}  // namespace assay::metal::emulator
