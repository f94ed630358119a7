#include "validation/core/fingerprint.h"

#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "validation/core/sha256.h"

namespace assay::validation {
namespace {

namespace fs = std::filesystem;

using Digests = std::map<fs::path, std::string>;  ///< in one order, whichever file names another first

void add(const fs::path& file, Digests& digests) {
  std::error_code ignored;
  if (digests.contains(file) || !fs::is_regular_file(file, ignored)) return;
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  digests[file] = sha256(bytes);
  if (bytes.find('\0') != std::string::npos) return;  // a library
  static const std::regex quoted(R"re("([^"\\\n]{1,250})")re");
  for (auto at = std::sregex_iterator(bytes.begin(), bytes.end(), quoted); at != std::sregex_iterator(); ++at)
    add((file.parent_path() / (*at)[1].str()).lexically_normal(), digests);
}

}  // namespace

std::string fingerprint_of(const fs::path& file) {
  Digests digests;
  add(file.lexically_normal(), digests);
  std::string all;
  for (const auto& [path, digest] : digests) all += digest;
  return digests.size() > 1 ? sha256(all) : all;
}

}  // namespace assay::validation
