// A library that Metal compiles from text.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "metal/apple/apple_state.h"
#include "metal/device/library.h"

namespace assay::metal::apple {

class AppleLibrary final : public Library {
 public:
  /// Errors: compile.
  static Result<std::shared_ptr<Library>> of_source(std::shared_ptr<AppleState> device, const std::string& source);

  /// Compiles the file's text with that of the files it includes. Errors: compile, environment.
  static Result<std::shared_ptr<Library>> of_file(std::shared_ptr<AppleState> device,
                                                  const std::filesystem::path& path);

  std::vector<std::string> function_names() const override;

  /// Metal does not know a function constant that no function uses. Such a constant counts as not found.
  Result<std::shared_ptr<const Function>> new_function(const std::string& name,
                                                       const FunctionConstants& constants) override;

  /// Compares the text of the file and of the files it includes, not their times.
  Result<bool> reload_if_changed() override;

 private:
  struct Constant {
    std::string name;
    MTL::DataType type = MTL::DataTypeNone;
  };
  using Constants = std::map<std::uint32_t, Constant>;  ///< by index

  AppleLibrary(std::shared_ptr<AppleState> device, NS::SharedPtr<MTL::Library> library, std::filesystem::path path,
               std::string source)
      : device_(std::move(device)), library_(std::move(library)), path_(std::move(path)), source_(std::move(source)) {}

  static void add_constants(Constants& known, MTL::Function* function);
  /// The function's constants. If it lacks a wanted one: the constants of all functions, which are asked once.
  Constants constants_for(MTL::Function* function, const FunctionConstants& wanted) const;
  static Result<NS::SharedPtr<MTL::FunctionConstantValues>> values_of(const FunctionConstants& constants,
                                                                      const Constants& known);

  std::shared_ptr<AppleState> device_;
  NS::SharedPtr<MTL::Library> library_;
  std::filesystem::path path_;  ///< empty if there is no file to reload
  std::string source_;
  mutable std::mutex mutex_;
  mutable std::optional<Constants> all_constants_;
};

}  // namespace assay::metal::apple
