#include "validation/shader/contents.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "metal/device/read_file.h"
#include "validation/core/parse.h"
#include "validation/core/random.h"
#include "validation/shader/scalar.h"

namespace assay::validation {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 36;

std::uint64_t byte_count(const metal::Argument& argument, const std::string& text) {
  const std::uint64_t count = parse_number<std::uint64_t>(text).value_or(0);
  if (count == 0) throw std::invalid_argument(fmt::format("'{}': expected a count of elements, at least 1", text));
  if (argument.element_size == 0 || count > max_bytes / argument.element_size)
    throw std::invalid_argument(
        fmt::format("{} elements of {} bytes: expected at most {} bytes", count, argument.element_size, max_bytes));
  return count * argument.element_size;
}

void append(std::vector<std::byte>& to, const std::vector<std::byte>& bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::vector<std::byte> random_bytes(const metal::Argument& argument, std::uint64_t length, std::uint64_t seed) {
  const MetalType type = metal_type(argument.element_type);
  Random random(seed + argument.index);
  std::vector<std::byte> bytes;
  bytes.reserve(length);
  while (bytes.size() < length)
    append(bytes, is_floating(type.scalar) ? scalar_bytes(type.scalar, random.gaussian())
                                           : scalar_bytes(type.scalar, static_cast<double>(random.integer(0, 127))));
  return bytes;
}

std::vector<std::byte> file_bytes(const std::filesystem::path& path) {
  const auto text = metal::read_file(path);
  if (!text) throw std::invalid_argument(fmt::format("{}: expected a file that can be read", path.string()));
  const auto* begin = reinterpret_cast<const std::byte*>(text->data());
  return {begin, begin + text->size()};
}

std::vector<std::byte> listed_bytes(const metal::Argument& argument, const std::string& words) {
  const MetalType type = metal_type(argument.element_type);
  std::vector<std::byte> bytes;
  std::istringstream list(words + ',');  // so that a missing last number is read as an empty one
  std::size_t component = 0;
  for (std::string number; std::getline(list, number, ',');) {
    append(bytes, scalar_bytes(type.scalar, number));
    if (++component < type.components) continue;
    for (; component < type.size; ++component) append(bytes, scalar_bytes(type.scalar, 0.0));
    component = 0;
  }
  if (component != 0)
    throw std::invalid_argument(
        fmt::format("expected a multiple of {} numbers for {}", type.components, argument.type));
  return bytes;
}

BufferContents of_bytes(std::vector<std::byte> bytes) {
  const std::uint64_t length = bytes.size();
  return {length, std::move(bytes)};
}

BufferContents contents(const metal::Argument& argument, const std::string& words, std::uint64_t seed) {
  const auto colon = words.find(':');
  const std::string kind = words.substr(0, colon), rest = colon == std::string::npos ? "" : words.substr(colon + 1);
  if (colon == std::string::npos) return of_bytes(listed_bytes(argument, words));
  if (kind == "file") return of_bytes(file_bytes(rest));
  if (kind == "random") return of_bytes(random_bytes(argument, byte_count(argument, rest), seed));
  if (kind == "zero") return of_bytes(std::vector<std::byte>(byte_count(argument, rest)));
  if (kind == "unset") return {byte_count(argument, rest), std::nullopt};
  throw std::invalid_argument("expected random:N, zero:N, unset:N, file:PATH or numbers");
}

}  // namespace

BufferContents buffer_contents(const metal::Argument& argument, const std::string& words, std::uint64_t seed) {
  try {
    return contents(argument, words, seed);
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument(
        fmt::format("--buffer {}={} ({} {}): {}", argument.index, words, argument.type, argument.name, problem.what()));
  }
}

}  // namespace assay::validation
