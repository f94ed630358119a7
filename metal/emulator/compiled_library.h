// A library that Apple's compiler has compiled, on an emulated device. It may have thousands of kernels: each is
// compiled for this machine when it is asked for.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "metal/device/library.h"
#include "metal/emulator/emulator_library.h"

namespace assay::metal::emulator {

class CompiledLibrary final : public Library {
 public:
  using Compile = std::function<Result<LoadedShader>(const std::string& kernel)>;

  /// Errors: those of air::libraries_in.
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
  std::map<std::string, std::shared_ptr<EmulatorLibrary>> kernels_;  ///< those that were asked for
};

}  // namespace assay::metal::emulator
