#include "metal/emulator/compile/library_path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "metal/emulator/compile/archive.h"
#include "metal/emulator/compile/file_bytes.h"

namespace assay::metal::emulator {

namespace {

namespace fs = std::filesystem;

/// A file, and which of its libraries is meant, counted from 1; 0: all.
struct Chosen {
  fs::path file;
  std::size_t number = 0;
};

constexpr std::size_t no_number = static_cast<std::size_t>(-1);

/// "libtorch_cpu.dylib#2", unless there is a file of this name. What is no number is one that no library has.
Chosen chosen_of(const fs::path& path) {
  const std::string text = path.string();
  const std::size_t hash = text.rfind('#');
  std::size_t number = 0;
  std::error_code unknown;
  if (hash == std::string::npos || fs::exists(path, unknown)) return {path, 0};
  const auto [end, problem] = std::from_chars(text.data() + hash + 1, text.data() + text.size(), number);
  const bool is_number = problem == std::errc() && end == text.data() + text.size() && number > 0;
  const fs::path file = text.substr(0, hash);
  if (!is_number && !fs::exists(file, unknown)) return {path, 0};
  return {file, is_number ? number : no_number};
}

/// What the libraries are read from: the file itself, or what was unpacked of it.
Result<Unpacked> opened(const fs::path& file) {
  if (is_archive(file)) return unpacked(file);
  auto bytes = bytes_of(file);
  if (!bytes) return tl::unexpected(bytes.error());
  return Unpacked{std::move(*bytes), {}};
}

std::string listed(const std::vector<NamedLibrary>& libraries) {
  std::vector<std::string> names;
  for (const NamedLibrary& one : libraries) names.push_back(to_string(one));
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

bool is_library_file(const fs::path& path) {
  const fs::path file = chosen_of(path).file;
  const auto bytes = bytes_of(file);
  if (!bytes) return false;
  if (file.extension() == ".metallib" || file.extension() == ".whl") return true;  // a damaged one is no source
  return is_archive(file) || begins_as_library(*bytes);
}

Result<void> require_source(const fs::path& path, std::string_view who) {
  if (!is_library_file(path)) return {};
  return error(Error::Kind::argument,
               fmt::format("'{}' is a compiled library: {} takes a .metal source", path.string(), who));
}

std::string to_string(const NamedLibrary& library) {
  return fmt::format("{} ({}, {} kernels{})", library.path, library.library.system, library.library.kernels.size(),
                     library.member.empty() ? "" : ", in " + library.member);
}

Result<std::vector<NamedLibrary>> libraries_in(const fs::path& path) {
  const auto [file, number] = chosen_of(path);
  const auto from = opened(file);
  if (!from) return tl::unexpected(from.error());
  auto found = air::find_libraries(from->bytes);
  if (!found) return error(found.error().kind, fmt::format("'{}': {}", path.string(), found.error().text));
  std::vector<NamedLibrary> libraries;
  for (std::size_t n = 0; n < found->size(); ++n)
    libraries.push_back({found->size() == 1 ? file.string() : fmt::format("{}#{}", file.string(), n + 1),
                         n < from->members.size() ? from->members[n] : "", std::move((*found)[n])});
  if (number > libraries.size())
    return error(Error::Kind::argument,
                 fmt::format("'{}': it has {} {}, expected one of {}", path.string(), libraries.size(),
                             libraries.size() == 1 ? "library" : "libraries", listed(libraries)));
  if (number > 0) return std::vector<NamedLibrary>{std::move(libraries[number - 1])};
  return libraries;
}

Result<air::LibraryKernel> find_kernel(const fs::path& path, const std::string& name) {
  const auto libraries = libraries_in(path);
  if (!libraries) return tl::unexpected(libraries.error());
  std::vector<air::LibraryKernel> found;
  std::vector<NamedLibrary> having;
  for (const NamedLibrary& one : *libraries) {
    const auto kernel = std::ranges::find(one.library.kernels, name, &air::LibraryKernel::name);
    if (kernel == one.library.kernels.end()) continue;
    found.push_back(*kernel);
    having.push_back(one);
  }
  if (found.empty())
    return error(Error::Kind::not_found, fmt::format("Function {} was not found in the library", name));
  if (found.size() == 1) return found.front();
  return error(Error::Kind::argument, fmt::format("'{}': {} of its libraries have a kernel {}, expected one of {}",
                                                  path.string(), found.size(), name, listed(having)));
}

Result<std::string> bitcode_of(const fs::path& path, const air::LibraryKernel& kernel) {
  const auto from = opened(chosen_of(path).file);
  if (!from) return tl::unexpected(from.error());
  const std::uint64_t size = from->bytes.size;
  if (kernel.offset > size || kernel.bytes > size - kernel.offset)
    return error(Error::Kind::environment, fmt::format("'{}' has become shorter", path.string()));
  return from->bytes.read(kernel.offset, kernel.bytes);
}

}  // namespace assay::metal::emulator
