#include "validation/core/file.h"

#include <cerrno>
#include <system_error>

#include "metal/system/system.h"

namespace assay::validation {

metal::Descriptor anonymous_file() {
  metal::Descriptor file(metal::system::open_anonymous_file());
  if (file.number() < 0) throw std::system_error(errno, std::generic_category(), "no memory to share");
  return file;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace assay::validation
