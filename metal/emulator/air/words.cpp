#include "metal/emulator/air/words.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace assay::metal::emulator::air {

namespace {

/// Whether the word promises something.
bool is_promise(std::string_view word) {
  static constexpr std::array<std::string_view, 33> words = {
      "nsw",       "nuw",        "exact",          "disjoint",     "nneg",     "samesign", "nusw",
      "fast",      "nnan",       "ninf",           "nsz",          "arcp",     "contract", "afn",
      "reassoc",   "noundef",    "noalias",        "nonnull",      "readonly", "readnone", "writeonly",
      "nocapture", "returned",   "dead_on_unwind", "writable",     "nofree",   "tail",     "musttail",
      "notail",    "willreturn", "nosync",         "speculatable", "immarg"};
  if (!word.starts_with("addrspace(") && !word.starts_with("dereferenceable"))
    while (word.ends_with(',') || word.ends_with(')')) word.remove_suffix(1);
  return std::ranges::find(words, word) != words.end() || word.starts_with("dereferenceable") ||
         word.starts_with("addrspace(");
}

/// The end of the word at `begin`: the next space outside of quotes.
std::size_t end_of_word(std::string_view line, std::size_t begin) {
  for (std::size_t at = begin; at < line.size(); ++at) {
    if (line[at] == ' ') return at;
    if (line[at] != '"') continue;
    const std::size_t end = line.find('"', at + 1);
    if (end == npos) return line.size();
    at = end;
  }
  return line.size();
}

}  // namespace

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string without_promises(std::string_view line) {
  std::string text;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = end_of_word(line, begin);
    std::string_view word = line.substr(begin, end - begin);
    begin = end + 1;
    // "(ptr" and "nocapture," have their bracket or comma in the same word.
    std::size_t open = 0;
    while (open < word.size() && (word[open] == '(' || word[open] == '[' || word[open] == '<')) ++open;
    const bool is_text = word.substr(open).starts_with('"');
    if (!word.empty() && (is_text || is_promise(word.substr(open)))) {
      // What closes brackets around the word stays.
      const bool has_number = word.substr(open).starts_with("addrspace(") || word.substr(open).starts_with("deref");
      const std::string_view rest = word.substr(has_number ? word.find(')') + 1 : word.find_last_not_of(",)") + 1);
      text.append(word.substr(0, open));
      if (!rest.empty()) {
        while (text.ends_with(' ')) text.pop_back();
        text.append(rest).append(end < line.size() ? " " : "");
      }
      continue;
    }
    text.append(word).append(end < line.size() ? " " : "");
  }
  text = replaced(std::move(text), "addrspacecast ", "bitcast ");
  for (const char* pointer : {".p1", ".p2", ".p3"})
    for (const char* after : {".", "("})
      text = replaced(std::move(text), std::string(pointer) + after, std::string(".p0") + after);
  return text;
}

std::string plain_attributes(std::string_view line) {
  const std::size_t open = line.find('{');
  std::string text(line.substr(0, open));
  text += "{ nounwind";
  for (const char* word : {"convergent", "noinline", "alwaysinline"})
    if (line.find(fmt::format(" {} ", word)) != npos) text += fmt::format(" {}", word);
  return text + " }";
}

std::string plain_name(std::string_view variable) {
  std::string name(variable.substr(variable.starts_with('@') ? 1 : 0));
  if (name.starts_with('"')) name = name.substr(1, name.size() - 2);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      ::abi::__cxa_demangle(name.substr(0, name.find('.')).c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !readable) return name;
  const std::string_view text = readable.get();
  const std::size_t scope = text.rfind("::");
  return std::string(text.substr(scope == npos ? 0 : scope + 2));
}

std::string quoted_text(std::string_view text) {
  std::string all = "\"";
  for (const char letter : text)
    if (letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < 32)
      all += fmt::format("\\{:02X}", static_cast<unsigned char>(letter));
    else
      all += letter;
  return all + "\"";
}

std::size_t end_of_name(std::string_view text, std::size_t at) {
  if (at + 1 < text.size() && text[at + 1] == '"') {
    const std::size_t end = text.find('"', at + 2);
    return end == npos ? text.size() : end + 1;
  }
  return std::min(text.find_first_of(" ,()[]{}<>*", at), text.size());
}

std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '"') {
      at = text.find('"', at + 1);
      if (at == npos) return npos;
    } else if (text[at] == '(') {
      ++depth;
    } else if (text[at] == ')' && --depth == 0) {
      return at;
    }
  }
  return npos;
}

}  // namespace assay::metal::emulator::air
