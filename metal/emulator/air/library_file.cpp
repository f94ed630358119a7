#include "metal/emulator/air/library_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace assay::metal::emulator::air {

namespace {

constexpr std::string_view magic = "MTLB";
constexpr std::uint64_t header_bytes = 88;

/// The number at `at`, which has `T`'s bytes, the lowest first. `at` must be inside.
template <class T>
T number_at(std::string_view bytes, std::size_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

bool fits(std::uint64_t offset, std::uint64_t size, std::uint64_t whole) {
  return offset <= whole && size <= whole - offset;
}

/// One entry of the list of functions: tags of four letters, each with its length and data, up to ENDT.
struct Entry {
  std::optional<std::string_view> name, type, offsets, bytes, versions;
};

std::optional<Entry> entry_of(std::string_view text) {
  Entry entry;
  for (std::size_t at = 0; text.size() - at >= 4;) {
    const std::string_view tag = text.substr(at, 4);
    if (tag == "ENDT") return entry;
    if (text.size() - at < 6) return std::nullopt;
    const std::size_t size = number_at<std::uint16_t>(text, at + 4);
    if (text.size() - at - 6 < size) return std::nullopt;
    const std::string_view data = text.substr(at + 6, size);
    if (tag == "NAME") entry.name = data;
    if (tag == "TYPE") entry.type = data;
    if (tag == "OFFT") entry.offsets = data;
    if (tag == "MDSZ") entry.bytes = data;
    if (tag == "VERS") entry.versions = data;
    at += 6 + size;
  }
  return std::nullopt;
}

/// Reads the entries of a library's list of functions.
class Functions {
 public:
  /// `code` is the place of the bitcode in the file.
  Functions(std::string_view list, std::uint64_t code, std::uint64_t code_bytes)
      : list_(list), code_(code), code_bytes_(code_bytes) {}

  Result<std::vector<LibraryKernel>> read() {
    if (list_.size() < 4) return refused("expected 4 bytes for the number of functions");
    const auto count = number_at<std::uint32_t>(list_, 0);
    std::vector<LibraryKernel> kernels;
    for (std::size_t at = 4, n = 0; n < count; ++n) {
      if (list_.size() - at < 4) return refused(fmt::format("function {} of {}: the list ends before it", n, count));
      const auto size = number_at<std::uint32_t>(list_, at);
      if (size < 4 || size > list_.size() - at)
        return refused(fmt::format("function {} of {}: {} bytes, expected 4 to {}", n, count, size, list_.size() - at));
      auto kernel = kernel_of(list_.substr(at + 4, size - 4), n);
      if (!kernel) return tl::unexpected(kernel.error());
      if (*kernel) kernels.push_back(std::move(**kernel));
      at += size;
    }
    return kernels;
  }

 private:
  static tl::unexpected<Error> refused(const std::string& what) {
    return error(Error::Kind::argument, "the list of functions: " + what);
  }

  /// Nothing for a function that is not a kernel.
  Result<std::optional<LibraryKernel>> kernel_of(std::string_view text, std::size_t n) const {
    const auto entry = entry_of(text);
    if (!entry) return refused(fmt::format("function {}: expected tags up to ENDT", n));
    constexpr char is_kernel = 2;
    if (entry->type && (entry->type->empty() || entry->type->front() != is_kernel)) return std::nullopt;
    if (!entry->name || !entry->offsets || entry->offsets->size() < 24 || !entry->bytes || entry->bytes->size() < 8)
      return refused(fmt::format("function {}: expected its NAME, OFFT of 24 bytes and MDSZ of 8", n));
    LibraryKernel kernel;
    kernel.name = std::string(entry->name->substr(0, entry->name->find('\0')));
    const auto offset = number_at<std::uint64_t>(*entry->offsets, 16);
    kernel.bytes = number_at<std::uint64_t>(*entry->bytes, 0);
    if (!fits(offset, kernel.bytes, code_bytes_))
      return refused(fmt::format("function {} `{}`: its bitcode is {} bytes from byte {} on, expected to be within {}",
                                 n, kernel.name, kernel.bytes, offset, code_bytes_));
    kernel.offset = code_ + offset;
    if (entry->versions && entry->versions->size() >= 8) {
      const auto part = [&](std::size_t k) { return number_at<std::uint16_t>(*entry->versions, 2 * k); };
      kernel.air = {part(0), part(1)}, kernel.language = {part(2), part(3)};
    }
    return kernel;
  }

  std::string_view list_;
  std::uint64_t code_, code_bytes_;
};

/// "macOS 14.0". Of other systems only the number of their kind is known.
std::string system_of(std::string_view header) {
  constexpr unsigned char mac = 0x81;
  const auto kind = static_cast<unsigned char>(header[11]);
  const std::string name = kind == mac ? "macOS" : fmt::format("system {}", kind);
  return fmt::format("{} {}.{}", name, number_at<std::uint16_t>(header, 12), number_at<std::uint16_t>(header, 14));
}

/// Calls visit(offset) for each place of the magic bytes, until it returns an error.
Result<void> for_each_magic(const Bytes& bytes, const std::function<void(std::uint64_t)>& visit) {
  constexpr std::uint64_t piece = std::uint64_t{4} << 20;
  for (std::uint64_t begin = 0; begin < bytes.size; begin += piece) {
    const auto text = bytes.read(begin, std::min(piece + magic.size() - 1, bytes.size - begin));
    if (!text) return tl::unexpected(text.error());
    for (std::size_t at = text->find(magic); at != std::string::npos; at = text->find(magic, at + 1)) visit(begin + at);
  }
  return {};
}

}  // namespace

Result<Library> read_library(const Bytes& bytes, std::uint64_t offset) {
  const auto refused = [&](const std::string& what) {
    return error(Error::Kind::argument, fmt::format("the library at byte {}: {}", offset, what));
  };
  if (!fits(offset, header_bytes, bytes.size))
    return refused(fmt::format("expected a header of {} bytes", header_bytes));
  const auto header = bytes.read(offset, header_bytes);
  if (!header) return tl::unexpected(header.error());
  if (!header->starts_with(magic)) return refused("expected MTLB at its begin");
  const auto field = [&](std::size_t n) { return number_at<std::uint64_t>(*header, 16 + 8 * n); };
  Library library{offset, field(0), system_of(*header), {}};
  if (library.bytes < header_bytes || !fits(offset, library.bytes, bytes.size))
    return refused(
        fmt::format("its size is {} bytes, expected {} to {}", library.bytes, header_bytes, bytes.size - offset));
  // The size of the list of functions does not count the number of functions, which it begins with.
  const std::uint64_t list_bytes = std::min(field(2), library.bytes) + 4;
  if (!fits(field(1), list_bytes, library.bytes))
    return refused(fmt::format("its functions are {} bytes from byte {} on, expected to be within {}", field(2),
                               field(1), library.bytes));
  if (!fits(field(7), field(8), library.bytes))
    return refused(fmt::format("its bitcode is {} bytes from byte {} on, expected to be within {}", field(8), field(7),
                               library.bytes));
  const auto list = bytes.read(offset + field(1), list_bytes);
  if (!list) return tl::unexpected(list.error());
  auto kernels = Functions(*list, offset + field(7), field(8)).read();
  if (!kernels) return refused(kernels.error().text);
  library.kernels = std::move(*kernels);
  return library;
}

Result<std::vector<Library>> find_libraries(const Bytes& bytes) {
  std::vector<Library> libraries;
  std::optional<Error> first_error;
  const auto searched = for_each_magic(bytes, [&](std::uint64_t offset) {
    if (!libraries.empty() && offset < libraries.back().offset + libraries.back().bytes) return;
    auto library = read_library(bytes, offset);
    if (library)
      libraries.push_back(std::move(*library));
    else if (!first_error)
      first_error = library.error();
  });
  if (!searched) return tl::unexpected(searched.error());
  if (libraries.empty() && first_error) return tl::unexpected(*first_error);
  if (libraries.empty()) return error(Error::Kind::argument, "expected a library of Metal's, which begins with MTLB");
  return libraries;
}

}  // namespace assay::metal::emulator::air
