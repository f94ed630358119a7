#include "validation/shader/contents.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "metal/cpu/parallel.h"
#include "metal/device/read_file.h"
#include "validation/core/parse.h"
#include "validation/core/random.h"
#include "validation/shader/gaussian.h"
#include "validation/shader/scalar.h"

namespace assay::validation {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 36;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream list(text + separator);  // so that a missing last part is read as an empty one
  for (std::string part; std::getline(list, part, separator);) parts.push_back(part);
  return parts;
}

/// The array without contents that SHAPE or SHAPE:DTYPE describes.
ShaderArray shaped(const metal::Argument& argument, const std::string& text) {
  const auto colon = text.find(':');
  const MetalType type =
      colon == std::string::npos ? element_of(argument) : MetalType{scalar_of_numpy(text.substr(colon + 1))};
  ShaderArray array{type.scalar, {}};
  std::uint64_t left = max_bytes / scalar_size(type.scalar) / type.size;
  for (const std::string& part : split(text.substr(0, colon), 'x')) {
    const std::int64_t extent = parse_number<std::int64_t>(part).value_or(0);
    if (extent < 1) throw std::invalid_argument(fmt::format("'{}': expected a count of elements, at least 1", part));
    if (static_cast<std::uint64_t>(extent) > left)
      throw std::invalid_argument(
          fmt::format("{} elements of {}: expected at most {} bytes", text, argument.element_type, max_bytes));
    left /= static_cast<std::uint64_t>(extent);
    array.shape.push_back(extent);
  }
  if (type.size != 1) array.shape.push_back(static_cast<std::int64_t>(type.size));
  return array;
}

/// As many numbers as `to` has room for, the first of them those that `random` gives next.
void fill_random(const std::string& scalar, std::span<std::byte> to, Random random) {
  if (scalar == "float") return fill_gaussian(std::span(reinterpret_cast<float*>(to.data()), to.size() / 4), random);
  std::vector<double> numbers(to.size() / scalar_size(scalar));
  if (is_floating(scalar))
    fill_gaussian(std::span(numbers), random);
  else
    for (double& x : numbers) x = static_cast<double>(random.integer(0, 127));
  std::ranges::copy(scalar_bytes(scalar, numbers), to.begin());
}

/// Numbers that are the same on any number of threads.
void fill_random_on_threads(const std::string& scalar, std::span<std::byte> to, std::uint64_t seed) {
  constexpr std::uint64_t numbers = 1U << 16U;
  const std::uint64_t piece = numbers * scalar_size(scalar), pieces = (to.size() + piece - 1) / piece;
  metal::cpu::for_each_piece(pieces, metal::cpu::worker_count(0, pieces), [&](std::size_t, std::size_t n) {
    Random random(seed);
    random.skip(n * numbers * (is_floating(scalar) ? 2 : 1));
    fill_random(scalar, to.subspan(n * piece, std::min(piece, to.size() - n * piece)), random);
  });
}

ShaderArray random_array(const metal::Argument& argument, const std::string& shape, std::uint64_t seed) {
  if (shape.find(':') == std::string::npos) number_type(argument);  // refuses a struct
  ShaderArray array = shaped(argument, shape);
  if (const std::uint64_t most = quarter_of_memory(); array.length() > most)
    throw std::invalid_argument(
        fmt::format("{} bytes: expected at most {}, a quarter of this machine's memory; zero: "
                    "and unset: take more, in pages that exist only where they are touched",
                    array.length(), most));
  array.fill = [scalar = array.scalar, seed = seed + argument.index](std::span<std::byte> to) {
    fill_random_on_threads(scalar, to, seed);
  };
  return array;
}

ShaderArray zero_array(const metal::Argument& argument, const std::string& shape) {
  ShaderArray array = shaped(argument, shape);
  array.is_large_zero = array.length() > large_array;
  if (!array.is_large_zero) array.fill = [](std::span<std::byte> to) { std::ranges::fill(to, std::byte{0}); };
  return array;
}

/// In elements of the argument's type where they divide the bytes, else in bytes.
ShaderArray of_bytes(const metal::Argument& argument, std::vector<std::byte> bytes) {
  MetalType type = element_of(argument);
  const std::size_t size = type.size * scalar_size(type.scalar);
  if (bytes.size() % size != 0) type = {"uchar"};
  ShaderArray array{type.scalar, {static_cast<std::int64_t>(bytes.size() / type.size / scalar_size(type.scalar))}};
  if (type.size != 1) array.shape.push_back(static_cast<std::int64_t>(type.size));
  array.bytes = std::move(bytes);
  return array;
}

ShaderArray file_contents(const metal::Argument& argument, const std::filesystem::path& path) {
  if (path.extension() == ".npy") return read_npy(argument, path);
  const auto text = metal::read_file(path);
  if (!text) throw std::invalid_argument(fmt::format("{}: expected a file that can be read", path.string()));
  const auto* begin = reinterpret_cast<const std::byte*>(text->data());
  return of_bytes(argument, {begin, begin + text->size()});
}

ShaderArray listed(const metal::Argument& argument, const std::string& words) {
  const MetalType type = number_type(argument);
  std::vector<std::byte> bytes;
  std::size_t component = 0;
  for (const std::string& number : split(words, ',')) {
    for (const std::byte byte : scalar_bytes(type.scalar, number)) bytes.push_back(byte);
    if (++component < type.components) continue;
    for (; component < type.size; ++component) bytes.resize(bytes.size() + scalar_size(type.scalar));
    component = 0;
  }
  if (component != 0)
    throw std::invalid_argument(
        fmt::format("expected a multiple of {} numbers for {}", type.components, argument.type));
  return of_bytes(argument, std::move(bytes));
}

/// As many addresses as there are names, which become the member `to`.
ShaderArray addresses(const std::string& names, std::vector<std::string> ShaderArray::* to) {
  ShaderArray array{"ulong", {}};
  array.*to = split(names, ',');
  array.shape.push_back(static_cast<std::int64_t>((array.*to).size()));
  array.bytes.emplace(array.length());
  return array;
}

ShaderArray contents(const metal::Argument& argument, const std::string& words, std::uint64_t seed) {
  const auto colon = words.find(':');
  const std::string kind = words.substr(0, colon), rest = colon == std::string::npos ? "" : words.substr(colon + 1);
  if (argument.attribute == "visible_function_table") {
    if (kind == "functions") return addresses(rest, &ShaderArray::functions);
    throw std::invalid_argument("expected functions:NAME,..., the names of visible functions");
  }
  if (kind == "file") return file_contents(argument, rest);
  if (words.ends_with(".npy")) return read_npy(argument, words);
  if (colon == std::string::npos) return listed(argument, words);
  if (kind == "random") return random_array(argument, rest, seed);
  if (kind == "zero") return zero_array(argument, rest);
  if (kind == "unset") return shaped(argument, rest);
  if (kind == "buffers") return addresses(rest, &ShaderArray::addresses_of);
  throw std::invalid_argument(
      "expected PATH.npy, random:SHAPE, zero:SHAPE, unset:SHAPE, file:PATH, buffers:NAMES or numbers");
}

}  // namespace

std::uint64_t quarter_of_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) / 4;
}

ShaderArray buffer_contents(const metal::Argument& argument, const std::string& name, const std::string& words,
                            std::uint64_t seed) {
  try {
    return contents(argument, words, seed);
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument(
        fmt::format("{}={} ({} {}): {}", name, words, argument.type, argument.name, problem.what()));
  }
}

ShaderArray resource_contents(const std::string& name, const std::string& words, std::uint64_t seed) {
  metal::Argument bytes;
  bytes.type = bytes.element_type = "uchar";
  bytes.element_size = 1;
  const std::string kind = words.substr(0, words.find(':'));
  const bool has_type = words.ends_with(".npy") || (kind != "buffers" && split(words, ':').size() == 3);
  try {
    if (!has_type)
      throw std::invalid_argument("expected PATH.npy, random:SHAPE:DTYPE, zero:SHAPE:DTYPE or unset:SHAPE:DTYPE");
    return contents(bytes, words, seed);
  } catch (const std::invalid_argument& problem) {
    throw std::invalid_argument(fmt::format("{}={}: {}", name, words, problem.what()));
  }
}

}  // namespace assay::validation
