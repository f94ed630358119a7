#include "metal/emulator/compiled_library.h"

#include <system_error>
#include <utility>

#include "metal/emulator/compile/library_path.h"

namespace assay::metal::emulator {

CompiledLibrary::CompiledLibrary(std::filesystem::path path, Compile compile)
    : path_(std::move(path)), compile_(std::move(compile)) {}

Result<std::shared_ptr<Library>> CompiledLibrary::of_file(std::filesystem::path path, Compile compile) {
  std::shared_ptr<CompiledLibrary> library(new CompiledLibrary(std::move(path), std::move(compile)));
  if (const auto read = library->read(); !read) return tl::unexpected(read.error());
  return library;
}

/// Reads the file's time before the file, so that a change in between is noticed at the next call.
Result<void> CompiledLibrary::read() {
  std::error_code unknown;
  written_ = std::filesystem::last_write_time(path_, unknown);
  const auto libraries = libraries_in(path_);
  if (!libraries) return tl::unexpected(libraries.error());
  names_.clear();
  kernels_.clear();
  for (const NamedLibrary& one : *libraries)
    for (const air::LibraryKernel& kernel : one.library.kernels) names_.push_back(kernel.name);
  return {};
}

Result<std::shared_ptr<const Function>> CompiledLibrary::new_function(const std::string& name,
                                                                      const FunctionConstants& constants) {
  auto& library = kernels_[name];
  if (!library) {
    auto compiled = compile_(name);
    if (!compiled) return tl::unexpected(compiled.error());
    library = std::move(*compiled);
  }
  return library->new_function(name, constants);
}

Result<bool> CompiledLibrary::reload_if_changed() {
  std::error_code unknown;
  if (std::filesystem::last_write_time(path_, unknown) == written_) return false;
  if (const auto again = read(); !again) return tl::unexpected(again.error());
  return true;
}

}  // namespace assay::metal::emulator
