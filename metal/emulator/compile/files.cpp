#include "metal/emulator/compile/files.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

namespace assay::metal::emulator {

Result<void> write_file(const std::filesystem::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
  if (!stream)
    return error(Error::Kind::environment, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
  return {};
}

Result<TemporaryFolder> TemporaryFolder::make(const std::filesystem::path& parent) {
  std::error_code failure;
  std::filesystem::create_directories(parent, failure);
  std::string name = (parent / "assay-XXXXXX").string();
  if (failure || mkdtemp(name.data()) == nullptr)
    return error(Error::Kind::environment, fmt::format("cannot make a folder in '{}': {}", parent.string(),
                                                       failure ? failure.message() : std::strerror(errno)));
  return TemporaryFolder(name);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string content_name(std::string_view text) {
  // Two 64-bit hashes with different initial values, of the text forwards and backwards.
  constexpr std::uint64_t prime = 1099511628211U;
  std::uint64_t forwards = 14695981039346656037U, backwards = forwards ^ text.size();
  for (const char c : text) forwards = (forwards ^ static_cast<unsigned char>(c)) * prime;
  for (auto c = text.rbegin(); c != text.rend(); ++c) backwards = (backwards ^ static_cast<unsigned char>(*c)) * prime;
  return fmt::format("{:016x}{:016x}", forwards, backwards);
}

}  // namespace assay::metal::emulator
