// Files between a benchmark and a script of this folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace assay::bench {

/// A directory of its own that goes away with it.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "assay-bench-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::filesystem::path operator/(const char* name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <class Element>
void write(const std::filesystem::path& to, const std::vector<Element>& values) {
  std::ofstream file(to, std::ios::binary);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(Element)));
}

template <class Element>
bool read(const std::filesystem::path& from, std::vector<Element>& values) {
  std::ifstream file(from, std::ios::binary);
  const auto bytes = static_cast<std::streamsize>(values.size() * sizeof(Element));
  file.read(reinterpret_cast<char*>(values.data()), bytes);
  return file.gcount() == bytes;
}

}  // namespace assay::bench
