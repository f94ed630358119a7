// An open file that closes itself, and writing to one in full.
#pragma once

#include <unistd.h>

#include <string_view>
#include <utility>

namespace assay::validation {

class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number_ >= 0) ::close(number_);
  }

  int number() const { return number_; }

 private:
  int number_ = -1;
};

/// An anonymous file in memory, closed on exec. Throws std::system_error.
File anonymous_file();

/// Writes all bytes to a file, pipe or socket, however many calls of the system it takes. Returns false, with errno, if
/// that fails, for example because nobody reads.
bool write_all(int descriptor, std::string_view bytes);

}  // namespace assay::validation
