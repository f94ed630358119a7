// A library that Apple's compiler has compiled, on a device that is not Apple's. It may have thousands of kernels: each
// is compiled for the device when it is asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/library.h"

namespace assay::metal::emulator {

class CompiledLibrary final : public Library {
 public:
  /// Makes a library of one kernel.
  using Compile = std::function<Result<std::shared_ptr<Library>>(const std::string& kernel)>;

  /// Errors: those of libraries_in.
  static Result<std::shared_ptr<Library>> of_file(std::filesystem::path path, Compile compile);

  std::vector<std::string> function_names() const override { return names_; }
  Result<std::shared_ptr<const Function>> new_function(const std::string& name,
                                                       const FunctionConstants& constants) override;
  Result<bool> reload_if_changed() override;

 private:
  CompiledLibrary(std::filesystem::path path, Compile compile);
  Result<void> read();

  std::filesystem::path path_;
  std::filesystem::file_time_type written_;
  Compile compile_;
  std::vector<std::string> names_;
  std::map<std::string, std::shared_ptr<Library>> kernels_;  ///< those that were asked for
};

}  // namespace assay::metal::emulator
