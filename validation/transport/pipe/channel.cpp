#include "validation/transport/pipe/channel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "validation/core/call_time.h"
#include "validation/core/file.h"
#include "validation/core/parse.h"
#include "validation/core/support.h"

namespace assay::validation::transport {
namespace {

using Shape = std::vector<std::int64_t>;

std::string summary_of(const std::string& dtype, const Shape& shape) {
  return fmt::format("{} [{}]", dtype, fmt::join(shape, ", "));
}

/// Memory grows with the bytes that arrive, and is not allocated by the size in a header.
std::string read_all(int descriptor, std::size_t size) {
  constexpr std::size_t piece = std::size_t{1} << 24;
  std::string bytes;
  while (bytes.size() < size) {
    const std::size_t had = bytes.size();
    bytes.resize(had + std::min(piece, size - had));
    const ssize_t got = ::read(descriptor, bytes.data() + had, bytes.size() - had);
    bytes.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw std::runtime_error("the kernel's process ended before it answered");
  }
  return bytes;
}

PipeArray read_array(int descriptor, const nlohmann::json& said) {
  return {said.at("name"), said.at("dtype"), said.at("shape"), read_all(descriptor, said.at("bytes"))};
}

PipeMessage read_message(int descriptor) {
  std::uint64_t length = 0;
  std::memcpy(&length, read_all(descriptor, sizeof length).data(), sizeof length);
  PipeMessage message{nlohmann::json::parse(read_all(descriptor, length)), {}};
  for (const auto& said : message.header.at("arrays")) message.arrays.push_back(read_array(descriptor, said));
  return message;
}

void write_message(int descriptor, const PipeMessage& message) {
  nlohmann::json header = message.header;
  header["arrays"] = nlohmann::json::array();
  for (const PipeArray& array : message.arrays)
    header["arrays"].push_back(
        {{"name", array.name}, {"dtype", array.dtype}, {"shape", array.shape}, {"bytes", array.bytes.size()}});
  const std::string text = header.dump();
  const std::uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += text;
  for (const PipeArray& array : message.arrays) bytes += array.bytes;
  if (!write_all(descriptor, bytes))
    throw std::runtime_error(fmt::format("the kernel's process takes no call: {}", strerror(errno)));
}

}  // namespace

std::string PipeArray::summary() const {
  return summary_of(dtype, shape);
}

const PipeArray& PipeMessage::array(const std::string& name) const {
  for (const PipeArray& array : arrays)
    if (array.name == name) return array;
  throw std::runtime_error(fmt::format("{}: nothing came: expected an array", name));
}

void detail::require_array(const PipeArray& array, const std::string& dtype, const Shape& shape, std::size_t bytes) {
  const bool scalar = array.shape.empty() && shape == Shape{1};
  if (array.dtype != dtype || (array.shape != shape && !scalar) || array.bytes.size() != bytes)
    throw std::runtime_error(
        fmt::format("{}: got {}, expected {}", array.name, array.summary(), summary_of(dtype, shape)));
}

Channel Channel::of(const std::string& name) {
  const std::string_view words = std::string_view(name).substr(name.find(':') + 1);
  const auto comma = words.find(',');
  const auto answers = parse_number<int>(words.substr(0, comma));
  const auto calls = parse_number<int>(comma == std::string_view::npos ? "" : words.substr(comma + 1));
  if (!answers || !calls)
    throw std::invalid_argument(fmt::format("kernel '{}': expected pipe:ANSWERS,CALLS, two file descriptors", name));
  return {*answers, *calls};
}

PipeMessage Channel::call(const PipeMessage& message) const {
  write_message(calls_, message);
  PipeMessage answer = read_message(answers_);
  const std::string outcome = answer.header.at("outcome");
  if (outcome == "done") {
    processor_time_elsewhere += answer.header.value("processor_time", 0.0);
    return answer;
  }
  const std::string text = answer.header.at("text");
  if (outcome == "refused") throw std::invalid_argument(text);
  if (outcome == "unsupported") throw Unsupported::said_by_kernel(text);
  throw std::runtime_error(text);
}

}  // namespace assay::validation::transport
