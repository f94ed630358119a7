#include "validation/core/words.h"

namespace assay::validation {

Words parse_words(const std::string& line) {
  if (const auto at = line.find('\0'); at != std::string::npos)  // it would end every message that holds it
    throw std::invalid_argument(fmt::format("byte {} of the line is 0: expected a text of key=value", at));
  Words words;
  std::istringstream stream(line);
  for (std::string item; stream >> item;) {
    const auto equals = item.find('=');
    if (equals == std::string::npos) throw std::invalid_argument(fmt::format("'{}': expected key=value", item));
    if (!words.emplace(item.substr(0, equals), item.substr(equals + 1)).second) {
      throw std::invalid_argument(fmt::format("'{}' is given twice", item.substr(0, equals)));
    }
  }
  return words;
}

int times_of(const Words& words) {
  if (!words.contains("times")) return 1;
  const auto times = parse_word<int>(words, "times");
  constexpr int most = 1'000'000;
  if (times < 1 || times > most) throw std::invalid_argument(fmt::format("times={}: expected 1 to {}", times, most));
  return times;
}

void require_known(const Words& words, const Words& known) {
  for (const auto& [key, value] : words) {
    if (!known.contains(key)) throw std::invalid_argument(fmt::format("'{}=' is not part of a case", key));
  }
}

const std::string& word(const Words& words, const std::string& key) {
  const auto found = words.find(key);
  if (found == words.end()) throw std::invalid_argument(fmt::format("'{}=' is missing from the case", key));
  return found->second;
}

}  // namespace assay::validation
