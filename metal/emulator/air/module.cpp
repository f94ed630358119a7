#include "metal/emulator/air/module.h"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "metal/emulator/air/builtins.h"
#include "metal/emulator/air/declarations.h"
#include "metal/emulator/air/divergence.h"
#include "metal/emulator/air/divisions.h"
#include "metal/emulator/air/entry.h"
#include "metal/emulator/air/places.h"
#include "metal/emulator/air/private_arrays.h"
#include "metal/emulator/air/threadgroup_variables.h"
#include "metal/emulator/air/words.h"

namespace assay::metal::emulator::air {

namespace {

/// The attributes of functions that clang's flags for shaders of source give: compile/flags.cpp.
constexpr const char* checked = "sanitize_thread \"disable-tail-calls\"=\"true\" \"probe-stack\"=\"inline-asm\"";

class Translator {
 public:
  Translator(std::string_view text, const KernelMetadata& kernel, const std::string& file, Target target)
      : source_(text), kernel_(kernel), places_(file), threadgroup_(target), is_for_gpu_(target == Target::nvidia) {
    has_debug_ = !is_for_gpu_ && text.find("!llvm.dbg.cu") != npos;
    if (is_for_gpu_) divergence_.emplace(text, kernel);
  }

  Result<TranslatedModule> run() {
    // The calls of functions come before their declarations.
    for (const bool is_first : {true, false}) {
      const auto taken = for_each_line([&](std::string_view line, std::size_t number) {
        const bool is_declaration = line.starts_with("declare ");
        if (is_first) return is_declaration ? declaration(line) : Result<void>();
        return is_declaration ? Result<void>() : take(line, number);
      });
      if (!taken) return tl::unexpected(taken.error());
    }
    if (!signature_)
      return error(Error::Kind::compile, fmt::format("{}: the module does not define its kernel", kernel_.function));
    const auto entry = entry_functions(kernel_, *signature_, constructors_);
    if (!entry) return tl::unexpected(entry.error());
    text_ += threadgroup_.definitions() + *entry + definitions();
    for (const auto& [name, function] : functions_) metal_ += function;
    return TranslatedModule{std::move(text_), std::move(metal_), std::move(barriers_)};
  }

 private:
  template <class Visit>
  Result<void> for_each_line(const Visit& visit) const {
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < source_.size();) {
      const std::size_t end = std::min(source_.find('\n', begin), source_.size());
      if (const auto visited = visit(source_.substr(begin, end - begin), ++number); !visited) return visited;
      begin = end + 1;
    }
    return {};
  }

  Result<void> take(std::string_view line, std::size_t number) {
    if (is_inside_) return inside(line, number);
    if (line.starts_with("source_filename") || line.starts_with("target ")) return {};
    if (line.starts_with('@')) return variable(line);
    if (line.starts_with("define ")) return definition(line, number);
    if (line.starts_with("attributes ")) return add(plain_attributes(line));
    if (line.starts_with('!')) return metadata(line);
    return line.starts_with(';') ? Result<void>() : add(line);
  }

  Result<void> add(std::string_view line) {
    text_.append(line).append("\n");
    return {};
  }

  /// Without debug information nothing refers to the module's metadata any more.
  Result<void> metadata(std::string_view line) {
    const bool is_kept = has_debug_ && !line.starts_with("!air.") && !line.starts_with("!llvm.module.flags") &&
                         !line.starts_with("!llvm.ident");
    return is_kept ? add(without_spaces(line)) : Result<void>();
  }

  static std::string without_spaces(std::string_view line) {
    std::string text(line);
    for (const char* space : {" addrspace(1)", " addrspace(2)", " addrspace(3)"})
      text = replaced(std::move(text), space, "");
    return replaced(std::move(text), "addrspacecast (", "bitcast (");
  }

  Result<void> variable(std::string_view line) {
    const std::string_view name = line.substr(0, end_of_name(line, 0));
    if (name == "@llvm.global_ctors") {
      for (std::size_t at = line.find("ptr @"); at != npos; at = line.find("ptr @", at + 1))
        constructors_.emplace_back(line.substr(at + 4, end_of_name(line, at + 4) - at - 4));
      return {};
    }
    if (name == "@llvm.used" || name == "@llvm.compiler.used") return {};
    if (line.find(" addrspace(3) ") != npos) return threadgroup_.declare(line);
    std::string text = without_spaces(line);
    if (line.find("\"air.fc_initializer\"") != npos) {
      text = replaced(std::move(text), "externally_initialized constant ", "global ");
      text = replaced(std::move(text), ", section \"air.fc_initializer\"", "");
    }
    return add(text);
  }

  Result<void> declaration(std::string_view line) {
    const std::string plain = without_promises(line);
    const auto declared = ir::call(std::string_view(plain).substr(8));
    if (!declared || declared->callee.empty()) return add(plain);
    // What two functions of LLVM's differ by may be the address space.
    if (declared->callee.starts_with("@llvm."))
      return known_.emplace(declared->callee).second ? add(plain) : Result<void>();
    if (!declared->callee.starts_with("@air."))
      return error(Error::Kind::compile,
                   fmt::format("{}: the module does not define this function, and the emulator has none of "
                               "this name",
                               declared->callee.substr(1)));
    auto made = builtin(*declared);
    if (!made) return tl::unexpected(made.error());
    // A collective must not be moved into a branch.
    text_ += is_for_gpu_ ? replaced(made->definition, " alwaysinline nounwind {", " alwaysinline convergent nounwind {")
                         : made->definition;
    if (!made->function.empty()) {
      declared_.try_emplace(made->function, foreign(made->definition, made->function));
      functions_.try_emplace(made->function, made->metal);
    }
    builtins_.emplace(std::string(declared->callee), std::move(*made));
    return {};
  }

  /// The declaration of a function in Metal, from a call of it.
  std::string foreign(std::string_view definition, const std::string& function) const {
    const std::size_t at = definition.find("@" + function + "(");
    const std::size_t begin = definition.rfind("call ", at) + 5, open = at + function.size() + 1;
    const auto call = ir::call(definition.substr(begin, closing(definition, open) + 1 - begin));
    std::string types;
    for (const ir::Value& value : call->arguments) types += fmt::format("{}{}", types.empty() ? "" : ", ", value.type);
    return fmt::format("declare {} @{}({}){}\n", definition.substr(begin, at - 1 - begin), function, types,
                       is_for_gpu_ ? " convergent" : "");
  }

  Result<void> definition(std::string_view line, std::size_t number) {
    const std::string plain = without_promises(line.substr(7));
    const std::size_t at = plain.find('@'), open = end_of_name(plain, at), close = closing(plain, open);
    if (at == std::string::npos || close == npos)
      return error(Error::Kind::compile,
                   fmt::format("line {} of the module: expected a function's name and parameters", number));
    const std::string name = plain.substr(at, open - at);
    std::string before = plain.substr(0, at);
    for (const char* word :
         {"weak_odr ", "linkonce_odr ", "internal ", "private ", "weak ", "linkonce ", "hidden ", "dso_local "})
      before = replaced(std::move(before), word, "");
    const std::size_t group = plain.find('#', close);
    const std::string attributes =
        group == std::string::npos ? "" : plain.substr(group, plain.find(' ', group) - group);
    if (name == kernel_.function) signature_ = plain.substr(open, close + 1 - open);
    is_inside_ = true;
    function_ = name;
    block_.clear();
    body_.clear();
    debug_.clear();
    const std::string head = fmt::format("define internal {}{}", before, plain.substr(at, close + 1 - at));
    if (is_for_gpu_) return add(fmt::format("{} {} {{", head, attributes));
    places_.enter_function(name, number);
    arrays_.enter_function();
    const std::size_t own = line.rfind("!dbg ");
    function_has_debug_ = own != npos;
    const std::string debug =
        function_has_debug_ ? std::string(line.substr(own, line.rfind(' ') - own)) : places_.of_function();
    entry_debug_ = places_.of_entry(function_has_debug_ ? std::string_view(debug).substr(5) : std::string_view());
    return add(fmt::format("{} {} {} {} {{", head, checked, attributes, debug));
  }

  Result<void> inside(std::string_view line, std::size_t number) {
    if (line == "}") {
      is_inside_ = false;
      text_ += threadgroup_.with_addresses(body_, entry_debug_);
      return add(line);
    }
    const auto instruction = ir::instruction(line);
    if (!instruction) {
      const std::size_t colon = line.find(':');
      if (!line.starts_with(' ') && colon != npos) enter_block(line.substr(0, colon));
      if (!is_for_gpu_ || !ir::trimmed(line).starts_with('#'))
        body_.append(line).append("\n");  // a record for debuggers
      return {};
    }
    const std::size_t end = instruction->metadata.empty()
                                ? line.size()
                                : static_cast<std::size_t>(instruction->metadata.data() - line.data());
    return this->instruction(line.substr(0, end), *instruction, number);
  }

  void enter_block(std::string_view name) {
    places_.enter_block(name);
    block_ = name;
  }

  Result<void> instruction(std::string_view line, const ir::Instruction& read, std::size_t number) {
    std::string text = without_promises(line);
    if (text.find("@llvm.assume(") != std::string::npos) return {};
    if (!is_for_gpu_) places_.enter_instruction(ir::trimmed(line), number);
    if (text.find("@air.") != std::string::npos) text = with_site(std::move(text));
    if (is_for_gpu_) return body_.append(text).append("\n"), Result<void>();
    const bool is_switch = text.ends_with('[') || read.opcode == "]";
    if (!function_has_debug_)
      debug_ = places_.of_instruction();
    else if (!read.debug.empty())
      debug_ = fmt::format("!dbg {}", read.debug);
    if (const auto plain = ir::instruction(text)) {
      arrays_.note(*plain);
      if (is_checked_division(*plain)) add_check(*before_division(*plain, site_of("division"), divisions_++));
      if (arrays_.is_checked(*plain)) add_check(arrays_.before_access(*plain, site_of("access")));
    }
    if (!is_switch && !debug_.empty()) text += ", " + debug_;
    body_.append(text).append("\n");
    return {};
  }

  std::string site_of(const char* name) {
    Builtin operation;
    operation.operation = name;
    return places_.site(operation);
  }

  /// What is called in front of an instruction, at its place.
  void add_check(const std::string& text) {
    body_.append(text).append(debug_.empty() ? "" : ", ").append(debug_).append("\n");
  }

  /// A call of a barrier or a collective gets its site as a last argument.
  std::string with_site(std::string text) {
    const std::size_t at = text.find("@air."), open = end_of_name(text, at);
    const auto found = builtins_.find(text.substr(at, open - at));
    if (found == builtins_.end() || !found->second.has_site()) return text;
    const std::size_t close = closing(text, open);
    if (close == npos) return text;
    const std::string_view name = std::string_view(text).substr(at, open - at);
    if (!is_for_gpu_ && (name == "@air.wg.barrier" || name == "@air.simdgroup.barrier"))
      note_barrier(std::string_view(text).substr(open + 1, close - open - 1));
    return text.insert(close, fmt::format("{}ptr {}", close == open + 1 ? "" : ", ", site_of(found->second)));
  }

  /// assay/nvptx/site.h has one flag in a site.
  std::string site_of(const Builtin& builtin) {
    if (!is_for_gpu_) return places_.site(builtin);
    return divergence_->have_parted(function_, block_) ? "@assay.air.parted" : "@assay.air.together";
  }

  void note_barrier(std::string_view arguments) {
    const ir::Value flags = ir::value(ir::parts(arguments).front());
    std::uint32_t number = 0;
    std::from_chars(flags.name.data(), flags.name.data() + flags.name.size(), number);
    barriers_.push_back({places_.file(), static_cast<std::uint32_t>(places_.line()), Places::column, number});
  }

  std::string definitions() {
    std::string text;
    for (const auto& [name, line] : declared_) text += line;
    if (is_for_gpu_)
      return text + "@assay.air.together = internal constant i8 0\n@assay.air.parted = internal constant i8 1\n";
    if (divisions_ > 0) text += "declare void @assay_air_division(i64, i64, i32, i32, ptr)\n";
    text += arrays_.definitions();
    text +=
        "!llvm.module.flags = !{!2000000, !2000001}\n!2000000 = !{i32 7, !\"Dwarf Version\", i32 4}\n"
        "!2000001 = !{i32 2, !\"Debug Info Version\", i32 3}\n";
    return text + places_.definitions();
  }

  std::string_view source_;
  const KernelMetadata& kernel_;
  Places places_;
  ThreadgroupVariables threadgroup_;
  std::optional<Divergence> divergence_;
  PrivateArrays arrays_;
  std::map<std::string, Builtin> builtins_;       ///< by "@air.f"
  std::map<std::string, std::string> functions_;  ///< those in Metal, by their names
  std::map<std::string, std::string> declared_;   ///< their declarations
  std::set<std::string> known_;                   ///< LLVM's functions that are declared
  std::vector<std::string> constructors_;
  std::optional<std::string> signature_;  ///< the kernel's parameters, in parentheses
  std::string text_, metal_, body_, function_, block_;
  std::string entry_debug_, debug_;  ///< of the function's begin, and of the last instruction
  std::vector<ModuleBarrier> barriers_;
  std::size_t divisions_ = 0;
  bool is_for_gpu_, is_inside_ = false, has_debug_ = false, function_has_debug_ = false;
};

}  // namespace

Result<TranslatedModule> translate_module(std::string_view text, const KernelMetadata& kernel, const std::string& file,
                                          Target target) {
  return Translator(text, kernel, file, target).run();
}

}  // namespace assay::metal::emulator::air
