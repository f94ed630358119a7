#include "metal/emulator/compile/lint_messages.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace assay::metal::emulator {

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Each error with its notes.
std::vector<std::string> errors(std::string_view messages) {
  std::vector<std::string> found;
  bool in_error = false;
  for (std::size_t begin = 0; begin < messages.size();) {
    const std::size_t end = std::min(messages.find('\n', begin), messages.size());
    const std::string_view line = messages.substr(begin, end - begin);
    begin = end + 1;
    if (has(line, ": error: ")) {
      found.emplace_back();
      in_error = true;
    } else if (!has(line, ": note: ")) {
      in_error = false;
    }
    if (in_error) found.back().append(line).append("\n");
  }
  return found;
}

/// Whether a function of the standard library did not accept its arguments. Its pointers have no address space, so that
/// a template cannot deduce its type from one that has.
bool is_in_headers(std::string_view error, std::string_view headers) {
  std::size_t notes = 0, in_headers = 0;
  for (std::size_t at = error.find(": note: "); at != std::string_view::npos; at = error.find(": note: ", at + 1)) {
    if (error.substr(at).starts_with(": note: in instantiation of")) continue;  // who asked for it
    ++notes;
    const std::size_t begin = error.rfind('\n', at) + 1;
    if (error.substr(begin).starts_with(headers)) ++in_headers;
  }
  return error.starts_with(headers) || (notes > 0 && notes == in_headers);
}

/// Whether a template did not accept its arguments and clang does not say why: then it was reported where the template
/// first took them.
bool follows_from_another(std::string_view error) {
  const std::size_t at = error.find(": note: candidate template ignored: substitution failure [");
  return at != std::string_view::npos && error.substr(0, error.find('\n', at)).ends_with(']');
}

/// The error without the notes of who asked for a template: the types that these name are not at fault.
std::string without_instantiations(std::string_view error) {
  std::string rest;
  for (std::size_t begin = 0; begin < error.size();) {
    const std::size_t end = error.find('\n', begin) + 1;
    const std::string_view line = error.substr(begin, end - begin);
    if (!has(line, ": note: in instantiation of")) rest += line;
    begin = end;
  }
  return rest;
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

/// How many types in quotation marks are those of pointers.
std::size_t pointers_in(std::string_view line) {
  std::size_t count = 0;
  for (std::size_t at = line.find("*'"); at != std::string_view::npos; at = line.find("*'", at + 1)) ++count;
  return count;
}

/// What stands between the words and the next quotation mark; empty if the words are not there.
std::string_view type_behind(std::string_view line, std::string_view words) {
  const std::size_t at = line.find(words);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + words.size());
  return rest.substr(0, rest.find('\''));
}

/// The type of the reference that was to be bound to a value, which alone has no address space; empty if the error is
/// another.
std::string_view reference_to_value(std::string_view error) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> words = {{
      {"binding reference of type '", "to value of type '"},
      {"with type '", "has incompatible initializer of type '"},  // thread auto&
  }};
  const std::string_view line = first_line(error);
  for (const auto& [of_reference, of_value] : words) {
    const std::string_view value = type_behind(line, of_value);
    const bool has_space =
        std::ranges::any_of(std::array{"__private", "__global", "__local", "__generic", "__constant"},
                            [&](std::string_view space) { return has(value, space); });
    if (!value.empty() && !has_space) return type_behind(line, of_reference);
  }
  return {};
}

/// What Apple's compiler says of an address of a vector's component or of a reference to it: only these are values here
/// and not in a shader that compiles. Empty if the error is another.
std::string_view component_error(std::string_view error) {
  const std::string_view line = first_line(error), reference = reference_to_value(error);
  if (has(line, "address of property expression requested") ||
      has(line, "cannot take the address of an rvalue of type"))
    return "address of vector element requested";
  if (!reference.empty() && !has(reference, "const ")) return "non-const reference cannot bind to vector element";
  return {};
}

bool is_about_address_spaces(std::string_view error) {
  // A variable at program scope is in global memory outside of device and constant, and `this` is a generic pointer.
  // Metal has neither, so that errors about them mean nothing.
  const bool is_program_constant =
      (has(error, "__global ") || has(error, "__global'")) && !has(error, "__global_device") && !has(error, "__local");
  // Values of a class in two address spaces, as in c ? buffer[0] : T(0).
  const bool is_of_values = has(error, "incompatible operand types") && !has(error, "*'");
  // A pointer and a value that converts to a number by a method, whose `this` is generic.
  const bool is_of_pointer_and_value = has(error, "invalid operands to binary") && pointers_in(first_line(error)) < 2;
  // The variable is local and constant: `constant` is a part of the global address space here.
  const bool is_local_constant = has(error, "static local variable must reside in");
  // A value that a `thread const` reference takes is in the thread's memory, which clang does not know.
  const bool is_of_temporary =
      has(error, "cannot bind reference in default address space to object in address space '__private'") ||
      (has(error, "reference of type 'const __private ") && has(error, "cannot bind to a temporary object")) ||
      reference_to_value(error).starts_with("const __private ");
  // `thread` before a member, a constructor or a function's type, where it says nothing.
  const bool is_of_needless_thread = has(error, "field may not be qualified with an address space") ||
                                     has(error, "return type cannot be qualified with address space") ||
                                     has(error, "cannot be used to construct an object in address space '__private'");
  if (has(error, "__generic") || is_of_needless_thread || is_program_constant || is_of_values ||
      is_of_pointer_and_value || is_local_constant || is_of_temporary)
    return false;
  return has(error, "address space") || has(error, "__global_device") || has(error, "__global_host") ||
         has(error, "__local");
}

std::string in_metal_terms(std::string text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words = {{
      {"const __global_host", "constant"},
      {"__global_device", "device"},
      {"__global_host", "constant"},
      {"__local", "threadgroup"},
      {" *__private'", " *'"},
      {" &__private'", " &'"},
      {"__private", "thread"},
  }};
  for (const auto& [word, metal] : words)
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + metal.size()))
      text.replace(at, word.size(), metal);
  return text;
}

}  // namespace

std::string address_space_errors(std::string_view messages, std::string_view headers) {
  std::string result;
  for (const std::string& error : errors(messages)) {
    if (is_in_headers(error, headers) || follows_from_another(error)) continue;
    if (const std::string_view component = component_error(error); !component.empty())
      result.append(error, 0, error.find(": error: ")).append(": error: ").append(component).append("\n");
    else if (is_about_address_spaces(without_instantiations(error)))
      result += in_metal_terms(error);
  }
  return result;
}

}  // namespace assay::metal::emulator
