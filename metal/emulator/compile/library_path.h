// Where libraries of Apple's compiler are: a .metallib, a program for Apple's systems, or a zip archive that has such
// files in it, as a wheel of Python is.
//
// A path may end with the number of one of a file's libraries, counted from 1: "torch.whl#2".
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "metal/device/result.h"
#include "metal/emulator/air/library_file.h"

namespace assay::metal::emulator {

/// Whether the file is a library, or a program or an archive, which may have libraries in it.
bool is_library_file(const std::filesystem::path& path);

/// Errors: argument, for such a file: `who` takes the source of a shader alone.
Result<void> require_source(const std::filesystem::path& path, std::string_view who);

/// A library as a path names it.
struct NamedLibrary {
  std::string path;    ///< with its number, if the file has several
  std::string member;  ///< the file of the archive that it is in; empty where there is no archive
  air::Library library;
};

/// Errors: environment, if the file cannot be read; argument, if no library is in it, or none of this number.
Result<std::vector<NamedLibrary>> libraries_in(const std::filesystem::path& path);

/// "x.whl#2 (macOS 26.2, 19455 kernels, in lib/x.dylib)".
std::string to_string(const NamedLibrary& library);

/// Errors: as above; not_found; argument, if several libraries have a kernel of this name.
Result<air::LibraryKernel> find_kernel(const std::filesystem::path& path, const std::string& name);

/// The kernel's bitcode. Errors: environment.
Result<std::string> bitcode_of(const std::filesystem::path& path, const air::LibraryKernel& kernel);

}  // namespace assay::metal::emulator
