#include "metal/emulator/compile/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "metal/device/descriptor.h"

namespace assay::metal::emulator {

namespace {

Result<std::string> read_at(const Descriptor& file, const std::filesystem::path& name, std::uint64_t offset,
                            std::uint64_t size) {
  std::string text(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = pread(file.number(), text.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return error(Error::Kind::environment, fmt::format("cannot read '{}': {}", name.string(),
                                                         got < 0 ? std::strerror(errno) : "it is shorter"));
    done += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace

Result<air::Bytes> bytes_of(const std::filesystem::path& name) {
  const auto file = std::make_shared<const Descriptor>(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat state{};
  if (!*file || fstat(file->number(), &state) != 0)
    return error(Error::Kind::environment, fmt::format("cannot read '{}': {}", name.string(), std::strerror(errno)));
  if (!S_ISREG(state.st_mode))
    return error(Error::Kind::environment, fmt::format("'{}': expected a regular file", name.string()));
  return air::Bytes{static_cast<std::uint64_t>(state.st_size), [file, name](std::uint64_t offset, std::uint64_t size) {
                      return read_at(*file, name, offset, size);
                    }};
}

bool begins_as_library(const air::Bytes& bytes) {
  static constexpr std::array<std::string_view, 3> begins = {"MTLB", "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe"};
  if (bytes.size < 4) return false;
  const auto begin = bytes.read(0, 4);
  return begin && std::ranges::find(begins, *begin) != begins.end();
}

}  // namespace assay::metal::emulator
