#include "metal/emulator/compile/host_code.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "metal/emulator/compile/flags.h"
#include "metal/emulator/translate/lexer.h"
#include "metal/system/system.h"

namespace assay::metal::emulator {

namespace {

/// What the emulator's headers call, and what compilers and linkers put into every library.
constexpr std::array<std::string_view, 14> always = {"memcpy",
                                                     "memmove",
                                                     "memset",
                                                     "memcmp",
                                                     "bcmp",
                                                     "strcmp",
                                                     "strlen",
                                                     "__cxa_finalize",
                                                     "__cxa_atexit",
                                                     "__gmon_start__",
                                                     "__tls_get_addr",
                                                     "__stack_chk_fail",
                                                     "_ITM_deregisterTMCloneTable",
                                                     "_ITM_registerTMCloneTable"};

/// half is mangled as "Dh" here: a demangler may be older than its own name, "DF16_".
std::string demangled(const std::string& symbol) {
  constexpr std::string_view half = "DF16_";
  std::string known = symbol;
  for (std::size_t at = known.find(half); at != std::string::npos; at = known.find(half))
    known.replace(at, half.size(), "Dh");
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      ::abi::__cxa_demangle(known.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name ? name.get() : symbol;
}

/// "f" of "a::f<int>(float)", "new" of "operator new[](unsigned long)", "operator" of "operator+(A, int)".
std::string identifier_of(const std::string& function) {
  const std::string name = function.substr(0, function.find_first_of("(<["));
  const std::string last = name.substr(name.find_last_of(": ") + 1);
  return last.substr(0, last.find_first_of("+-*/%^&|~!=>,"));
}

/// The place of the last word that names the function, which is a call sooner than a declaration; else of the shader's
/// last word, before the text that registers it.
TextPlace place_of(const std::string& function, std::string_view text) {
  const std::string name = identifier_of(function);
  const std::array<std::string, 3> words = {name, "__builtin_" + name, fmt::format("\"{}\"", function)};
  const std::vector<Token> tokens = lex(text);
  TextPlace last = tokens.front().place;
  for (const Token& token : tokens)
    if (token.kind != TokenKind::end && token.place.file != "registration") last = token.place;
  for (std::size_t n = tokens.size(); n-- > 0;)
    if (std::ranges::find(words, tokens[n].text) != words.end()) return tokens[n].place;
  return last;
}

}  // namespace

bool runs_when_loaded(std::string_view compiled) {
  static constexpr std::array<std::string_view, 3> names = {"llvm.global_ctors", ".init_array", "__mod_init_func"};
  return std::ranges::any_of(names,
                             [&](std::string_view name) { return compiled.find(name) != std::string_view::npos; });
}

Error error_of_loading(const Clang& clang, const CompilingStep& first, const std::filesystem::path& input,
                       std::string_view text) {
  constexpr std::string_view theirs = "declaration requires a global constructor",
                             ours = "the initializer of a variable at program scope has to be constant in Metal";
  const auto run = run_clang(clang, constructor_flags(first), input, {});
  if (!run) return run.error();
  std::string messages = run->status != 0 ? run->messages : "";
  for (std::size_t at = messages.find(theirs); at != std::string::npos; at = messages.find(theirs, at))
    messages.replace(at, theirs.size(), ours);
  if (messages.empty())
    messages = fmt::format("{}: error: this shader has code that runs when it is loaded, which Metal has not\n",
                           to_string(place_of("", text)));
  return {Error::Kind::compile, messages};
}

Result<void> refuse_host_calls(std::string_view library, std::string_view text) {
  std::string messages;
  for (const std::string& symbol : system::undefined_symbols(library)) {
    if (std::ranges::find(always, symbol) != always.end() || system::is_mathematics(symbol)) continue;
    const std::string function = demangled(symbol);
    messages += fmt::format("{}: error: '{}' is no function of Metal's, and this shader does not define it\n",
                            to_string(place_of(function, text)), function);
  }
  if (messages.empty()) return {};
  return error(Error::Kind::compile, messages);
}

}  // namespace assay::metal::emulator
