#include "metal/emulator/air/metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "metal/emulator/abi/positions.h"
#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

namespace {

/// The lists of a module's metadata by their names: "!7", "!air.kernel".
class Lists {
 public:
  explicit Lists(std::string_view module) {
    for (std::size_t begin = 0; begin < module.size();) {
      const std::size_t end = std::min(module.find('\n', begin), module.size());
      add(module.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  /// Empty if there is no such list.
  const std::vector<std::string_view>& of(std::string_view name) const {
    static const std::vector<std::string_view> none;
    const auto found = lists_.find(name);
    return found == lists_.end() ? none : found->second;
  }

 private:
  void add(std::string_view line) {
    constexpr std::string_view is = " = ";
    const std::size_t at = line.find(is);
    if (!line.starts_with('!') || at == std::string_view::npos) return;
    std::string_view rest = line.substr(at + is.size());
    if (rest.starts_with("distinct ")) rest.remove_prefix(9);
    if (!rest.starts_with("!{") || !rest.ends_with('}')) return;
    lists_[line.substr(0, at)] = ir::parts(rest.substr(2, rest.size() - 3));
  }

  std::map<std::string_view, std::vector<std::string_view>> lists_;
};

/// "!"text"" without its quotes; LLVM writes what is no letter as \ and two hexadecimal digits. Empty if it is no text.
std::string text_of(std::string_view item) {
  if (item.size() < 3 || !item.starts_with("!\"") || !item.ends_with('"')) return {};
  item = item.substr(2, item.size() - 3);
  std::string text;
  for (std::size_t at = 0; at < item.size(); ++at) {
    unsigned code = 0;
    const char* const digits = item.data() + at + 1;
    const bool is_escape =
        item[at] == '\\' && at + 2 < item.size() && std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    text += is_escape ? static_cast<char>(code) : item[at];
    at += is_escape ? 2 : 0;
  }
  return text;
}

/// 4 of "i32 4"; 0 if it is no number.
std::uint64_t number_of(std::string_view item) {
  const std::size_t space = item.rfind(' ');
  std::uint64_t value = 0;
  if (space != std::string_view::npos) std::from_chars(item.data() + space + 1, item.data() + item.size(), value);
  return value;
}

/// "@x" of "ptr addrspace(2) @x".
std::string variable_of(std::string_view item) {
  const std::size_t at = item.find('@');
  return at == std::string_view::npos ? std::string() : std::string(item.substr(at));
}

/// Reads the arguments of one kernel.
class Arguments {
 public:
  explicit Arguments(const Lists& lists) : lists_(lists) {}

  Result<KernelArgument> read(std::string_view list) {
    const auto& items = lists_.of(list);
    argument_ = {};
    has_kind_ = false;
    for (std::size_t n = 1; n < items.size(); n += 1 + values_of(items[n]))
      if (const auto known = take(text_of(items[n]), {items.data() + n + 1, items.size() - n - 1}); !known)
        return tl::unexpected(known.error());
    if (!has_kind_)
      return error(Error::Kind::compile, fmt::format("argument `{}`: its kind is not said", argument_.name));
    if (argument_.kind == abi::ArgumentKind::buffer && argument_.space == abi::AddressSpace::threadgroup)
      argument_.kind = abi::ArgumentKind::threadgroup;
    return argument_;
  }

 private:
  /// How many items a key is followed by.
  static std::size_t values_of(std::string_view item) {
    const std::string key = text_of(item);
    if (key == "air.location_index") return 2;
    for (const char* one : {"air.address_space", "air.buffer_size", "air.arg_type_size", "air.arg_type_align_size",
                            "air.arg_type_name", "air.arg_name", "air.struct_type_info", "air.function_constant"})
      if (key == one) return 1;
    return 0;
  }

  Result<void> take(const std::string& key, std::span<const std::string_view> values) {
    const bool has_value = !values.empty();
    if (key == "air.buffer" || key == "air.indirect_buffer") return kind(abi::ArgumentKind::buffer);
    if (key == "air.read_write" || key == "air.write")
      argument_.is_written = true;
    else if (key == "air.buffer_size")
      argument_.is_reference = true;
    else if (key == "air.location_index" && has_value)
      argument_.index = static_cast<std::uint32_t>(number_of(values[0]));
    else if (key == "air.address_space" && has_value)
      return space(number_of(values[0]));
    else if (key == "air.arg_type_size" && has_value)
      argument_.bytes = number_of(values[0]);
    else if (key == "air.arg_type_align_size" && has_value)
      argument_.alignment = number_of(values[0]);
    else if (key == "air.arg_type_name" && has_value)
      argument_.type = text_of(values[0]);
    else if (key == "air.arg_name" && has_value)
      argument_.name = text_of(values[0]);
    else if (key == "air.struct_type_info" && has_value)
      argument_.fields = fields_of(values[0]);
    else if (key == "air.function_constant" && has_value)
      condition(values[0]);
    else if (key.starts_with("air.") && std::ranges::find(abi::positions, key.substr(4)) != abi::positions.end()) {
      argument_.attribute = key.substr(4);
      return kind(abi::ArgumentKind::position);
    } else if (key != "air.read" && key != "air.arg_unused" && key.starts_with("air."))
      return error(Error::Kind::compile,
                   fmt::format("{}: the emulator has no arguments of this kind from compiled libraries", key));
    return {};
  }

  Result<void> kind(abi::ArgumentKind is) {
    argument_.kind = is;
    has_kind_ = true;
    return {};
  }

  Result<void> space(std::uint64_t number) {
    constexpr std::array spaces = {abi::AddressSpace::none, abi::AddressSpace::device, abi::AddressSpace::constant,
                                   abi::AddressSpace::threadgroup};
    if (number == 0 || number >= spaces.size())
      return error(Error::Kind::compile, fmt::format("address space {}: expected 1, 2 or 3", number));
    argument_.space = spaces[number];
    return {};
  }

  void condition(std::string_view list) {
    const auto& items = lists_.of(list);
    if (items.size() < 3) return;
    argument_.predicate = variable_of(items[0]);
    argument_.condition = text_of(items[2]);
  }

  /// Each field is five items: offset, size, elements of an array, type and name. Others tell more of the field before.
  std::vector<Field> fields_of(std::string_view list) const {
    std::vector<Field> fields;
    const auto& items = lists_.of(list);
    for (std::size_t n = 0; n < items.size();) {
      const bool is_more = items[n].starts_with("!\"");
      if (!is_more && n + 5 <= items.size())
        fields.push_back({number_of(items[n]), number_of(items[n + 1]), number_of(items[n + 2]), text_of(items[n + 3]),
                          text_of(items[n + 4])});
      n += is_more ? 2 : 5;
    }
    return fields;
  }

  const Lists& lists_;
  KernelArgument argument_;
  bool has_kind_ = false;
};

Result<std::vector<KernelConstant>> constants_of(const Lists& lists) {
  std::vector<KernelConstant> constants;
  for (const std::string_view list : lists.of("!air.function_constants")) {
    const auto& items = lists.of(list);
    if (items.size() < 4)
      return error(Error::Kind::compile, "air.function_constants: expected variable, type, name, index");
    constants.push_back(
        {variable_of(items[0]), text_of(items[1]), text_of(items[2]), static_cast<std::uint32_t>(number_of(items[3]))});
  }
  return constants;
}

}  // namespace

Result<KernelMetadata> read_metadata(std::string_view module) {
  const Lists lists(module);
  const auto& kernels = lists.of("!air.kernel");
  if (kernels.size() != 1)
    return error(Error::Kind::compile, fmt::format("air.kernel: {} kernels in a module, expected 1", kernels.size()));
  const auto& items = lists.of(kernels.front());
  if (items.size() < 3 || variable_of(items[0]).empty())
    return error(Error::Kind::compile, "air.kernel: expected a function and two lists");
  KernelMetadata kernel;
  kernel.function = variable_of(items[0]);
  for (const std::string_view list : lists.of(items[2])) {
    auto argument = Arguments(lists).read(list);
    if (!argument) return tl::unexpected(argument.error());
    kernel.arguments.push_back(std::move(*argument));
  }
  for (std::size_t n = 3; n < items.size(); ++n) {
    const auto& more = lists.of(items[n]);
    if (more.size() == 2 && text_of(more[0]) == "air.max_work_group_size")
      kernel.max_threads = static_cast<std::uint32_t>(number_of(more[1]));
  }
  for (const std::string_view list : lists.of("!air.compile_options"))
    for (const std::string_view item : lists.of(list)) kernel.compile_options.push_back(text_of(item));
  auto constants = constants_of(lists);
  if (!constants) return tl::unexpected(constants.error());
  kernel.constants = std::move(*constants);
  return kernel;
}

}  // namespace assay::metal::emulator::air
