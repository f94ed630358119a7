// Parses the JSON of users. A byte-order mark at its start is skipped. Needs nothing but nlohmann's library, since the
// page of the lattice has it too.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace assay::validation {

/// Values are copied and written by recursion: a document of 100,000 brackets would overflow the stack.
inline constexpr int deepest_json = 100;

/// A text that is no JSON; it may have been cut short.
class BrokenJson final : public std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Refuses a document, as it is parsed, that is nested too deeply or has a key of an object twice, of which a parser
/// would silently take the last.
class JsonRules {
 public:
  explicit JsonRules(const std::string& source) : source_(source) {}

  template <class Json>
  bool allow(int depth, typename Json::parse_event_t event, const Json& parsed) {
    using Event = typename Json::parse_event_t;
    if (depth > deepest_json)
      throw std::invalid_argument(source_ + ": expected JSON of at most " + std::to_string(deepest_json) + " levels");
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end) open_.pop_back();
    if (event == Event::key) add(parsed.template get<std::string>());
    return true;
  }

 private:
  struct Object {
    std::set<std::string> keys;
    std::string last;
  };

  void add(const std::string& key) {
    open_.back().last = key;
    if (open_.back().keys.insert(key).second) return;
    std::string path;
    for (const Object& object : open_) path += (path.empty() ? "" : ".") + object.last;
    throw std::invalid_argument(source_ + ": " + path + ": expected each key of an object once, got '" + key +
                                "' twice");
  }

  const std::string& source_;
  std::vector<Object> open_;
};

/// Throws std::invalid_argument, beginning with `source`, for what JsonRules refuses, and BrokenJson for what is no
/// JSON.
template <class Json = nlohmann::json>
Json parse_json(std::string_view text, const std::string& source) {
  JsonRules rules(source);
  const auto allow = [&](int depth, typename Json::parse_event_t event, const Json& parsed) {
    return rules.allow<Json>(depth, event, parsed);
  };
  try {
    return Json::parse(text, allow);
  } catch (const typename Json::parse_error& problem) {
    const std::string what = problem.what();
    throw BrokenJson(source + ": " + what.substr(what.find("] ") + 2));
  }
}

}  // namespace assay::validation
