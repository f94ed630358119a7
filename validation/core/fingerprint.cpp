#include "validation/core/fingerprint.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

namespace assay::validation {
namespace {

namespace fs = std::filesystem;

/// A UUID of version 5 (RFC 4122), made of the SHA-1 of the bytes.
std::string digest_of(const std::string& bytes) {
  return to_string(boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(bytes));
}

using Digests = std::map<fs::path, std::string>;  ///< in one order, whichever file names another first

void add(const fs::path& file, Digests& digests) {
  std::error_code ignored;
  if (digests.contains(file) || !fs::is_regular_file(file, ignored)) return;
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  digests[file] = digest_of(bytes);
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
  return digests.size() > 1 ? digest_of(all) : all;
}

}  // namespace assay::validation
