#include "validation/core/file.h"

#include <cerrno>
#include <system_error>

#include "metal/system/system.h"

namespace assay::validation {

File anonymous_file() {
  File file(metal::system::open_anonymous_file());
  if (file.number() < 0) throw std::system_error(errno, std::generic_category(), "no memory to share");
  return file;
}

}  // namespace assay::validation
