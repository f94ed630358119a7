#include "validation/core/file.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace assay::validation {
namespace {

int open_anonymous() {
#if defined(__linux__)
  return memfd_create("assay", MFD_CLOEXEC);
#else
  std::string pattern = (std::filesystem::temp_directory_path() / "assay-XXXXXX").string();
  const int number = mkostemp(pattern.data(), O_CLOEXEC);
  if (number >= 0) unlink(pattern.c_str());
  return number;
#endif
}

}  // namespace

File anonymous_file() {
  File file(open_anonymous());
  if (file.number() < 0) throw std::system_error(errno, std::generic_category(), "no memory to share");
  return file;
}

}  // namespace assay::validation
