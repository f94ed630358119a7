// Preprocessed shaders in the cache, so that a run without changes needs no preprocessor.
//
// A text is found again while all that it was made of is as before: the source, the flags, clang's version, the
// environment, every included file, and which files there are that could be included in the place of one of these.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "metal/emulator/compile/clang.h"

namespace assay::metal::emulator {

class PreprocessedCache {
 public:
  /// For the source that is preprocessed with these flags. `name` is its name in line markers.
  PreprocessedCache(std::filesystem::path folder, const Clang& clang, const std::vector<std::string>& flags,
                    const std::filesystem::path& name, std::string_view source);

  std::optional<std::string> find() const;

  /// Keeps the text. Does nothing if a later run could not tell that it is out of date: if a file asks which files
  /// there are or what time it is, or was changed after `start`, when the preprocessor began, or in the second before.
  void keep(const std::string& text, std::chrono::file_clock::time_point start,
            const std::filesystem::path& work) const;

 private:
  using Paths = std::vector<std::filesystem::path>;

  /// The included files, by the line markers of the text.
  Paths files_of(std::string_view text) const;
  /// A name for the contents of the files and for the files that could take their places. Nothing if it is not known.
  std::optional<std::string> state_of(const Paths& files) const;

  std::filesystem::path folder_, kept_;
  std::string name_;
  Paths searched_;
  bool is_known_ = true;  ///< the source asks for nothing that a later run could not tell
};

}  // namespace assay::metal::emulator
