#include "validation/shader/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "validation/core/json_text.h"
#include "validation/report/record.h"

namespace assay::validation {

namespace {

using metal::emulator::SourcePosition;
using nlohmann::ordered_json;

/// The path of a URI (RFC 3986): all but its unreserved characters and the slash are encoded.
std::string encoded(const std::string& path) {
  std::string text;
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain = std::isalnum(byte) != 0 || std::string_view("-._~/").find(letter) != std::string_view::npos;
    text += is_plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return text;
}

std::string uri_of(const std::string& file) {
  const std::string path = path_in_folder(file);
  return (path.starts_with('/') ? "file://" : "") + encoded(path);
}

ordered_json location(const SourcePosition& position) {
  ordered_json physical = {{"artifactLocation", {{"uri", uri_of(position.file)}}}};
  if (position.line > 0) physical["region"] = {{"startLine", position.line}};
  if (position.line > 0 && position.column > 0) physical["region"]["startColumn"] = position.column;
  return {{"physicalLocation", physical}};
}

std::size_t rule_index(const std::string& rule) {
  const auto& rules = finding_rules();
  return static_cast<std::size_t>(std::ranges::find(rules, rule, &FindingRule::name) - rules.begin());
}

ordered_json result(const ShaderFinding& finding) {
  ordered_json result = {{"ruleId", finding.rule},
                         {"ruleIndex", rule_index(finding.rule)},
                         {"level", finding.is_warning ? "warning" : "error"},
                         {"message", {{"text", fmt::format("{}. To mend it, {}.", finding.message, finding.advice)}}},
                         {"locations", ordered_json::array({location(finding.position)})}};
  if (!finding.other_message.empty() && !finding.other.file.empty()) {
    ordered_json other = location(finding.other);
    other["id"] = 1;
    other["message"] = {{"text", finding.other_message}};
    result["relatedLocations"] = ordered_json::array({other});
  }
  if (finding.reason) {
    const ordered_json suppression = {{"kind", finding.is_allowed_in_source ? "inSource" : "external"},
                                      {"justification", *finding.reason}};
    result["suppressions"] = ordered_json::array({suppression});
  }
  return result;
}

}  // namespace

std::string to_sarif(const std::vector<ShaderFinding>& findings) {
  ordered_json rules = ordered_json::array(), results = ordered_json::array();
  for (const FindingRule& rule : finding_rules())
    rules.push_back({{"id", rule.name}, {"shortDescription", {{"text", rule.description}}}});
  for (const ShaderFinding& finding : findings) results.push_back(result(finding));
  const ordered_json driver = {{"name", "Assay"}, {"version", program_version()}, {"rules", rules}};
  const ordered_json run = {{"tool", {{"driver", driver}}}, {"results", results}};
  const ordered_json all = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                            {"version", "2.1.0"},
                            {"runs", ordered_json::array({run})}};
  return json_text(all, 2) + "\n";
}

}  // namespace assay::validation
