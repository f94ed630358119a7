// A shader and its binding in a folder of their own, where a test may edit both.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "validation/core/kernel_device.h"

namespace assay::validation::transport::test {

class ShaderFolder {
 public:
  /// Copies `name`.json; `name`.metal stays where it is, compiled already, until it is edited.
  explicit ShaderFolder(const std::string& name, std::string from = ASSAY_TEST_SHADERS)
      : name_(name), from_(std::move(from)) {
    std::string pattern = (std::filesystem::temp_directory_path() / "assay-plugin-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    std::filesystem::copy_file(from_ + "/" + name + ".json", binding());
    edit(binding(), name + ".metal", original().string());
  }
  ~ShaderFolder() { std::filesystem::remove_all(folder_); }
  ShaderFolder(const ShaderFolder&) = delete;
  ShaderFolder& operator=(const ShaderFolder&) = delete;

  std::string binding() const { return (folder_ / (name_ + ".json")).string(); }

  /// Replaces a text that is there exactly once.
  const ShaderFolder& edit_source(const std::string& before, const std::string& after) const {
    const std::filesystem::path source = folder_ / (name_ + ".metal");
    if (!std::filesystem::exists(source)) {
      std::filesystem::copy_file(original(), source);
      edit(binding(), original().string(), name_ + ".metal");
    }
    edit(source, before, after);
    return *this;
  }
  const ShaderFolder& edit_binding(const std::string& before, const std::string& after) const {
    edit(binding(), before, after);
    return *this;
  }

 private:
  std::filesystem::path original() const { return from_ + "/" + name_ + ".metal"; }

  static void edit(const std::filesystem::path& path, const std::string& before, const std::string& after) {
    const std::string text = (std::ostringstream() << std::ifstream(path).rdbuf()).str();
    std::ofstream(path) << replaced_once(text, before, after);
  }

  std::string name_, from_;
  std::filesystem::path folder_;
};

}  // namespace assay::validation::transport::test
