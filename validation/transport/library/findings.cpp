#include "validation/transport/library/findings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

// Looked up in the namespaces of the types. Places of threads and numbers of entries mean nothing to the program.
namespace assay::metal::emulator {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourcePosition, file, line, column)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Event, action, position)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OutputError, place, stored, exact, lost_bits, precision)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LineLoss, position, share, lost_bits)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Losses, worst, large, lines)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DispatchLosses, kernel, losses, is_complete)

static void to_json(nlohmann::json& json, const Report& report) {
  json = {{"check", report.check},           {"kernel", report.kernel}, {"message", report.message},
          {"address", report.address},       {"event", report.event},   {"count", report.count},
          {"is_warning", report.is_warning}, {"advice", report.advice}};
  if (report.other) json["other"] = *report.other;
}

static void from_json(const nlohmann::json& json, Report& report) {
  json.at("check").get_to(report.check);
  json.at("kernel").get_to(report.kernel);
  json.at("message").get_to(report.message);
  json.at("address").get_to(report.address);
  json.at("event").get_to(report.event);
  json.at("count").get_to(report.count);
  json.at("is_warning").get_to(report.is_warning);
  json.at("advice").get_to(report.advice);
  if (json.contains("other")) report.other = json["other"].get<Event>();
  report.is_of_library = true;
}

}  // namespace assay::metal::emulator

namespace assay::validation::transport {

std::string to_bytes(const NumericFindings& findings) {
  std::string bytes;
  nlohmann::json::to_cbor({{"reports", findings.reports}, {"losses", findings.losses}}, bytes);
  return bytes;
}

NumericFindings findings_of(std::string_view bytes) {
  try {
    const auto json = nlohmann::json::from_cbor(bytes);
    return {json.at("reports").get<std::vector<metal::emulator::Report>>(),
            json.at("losses").get<metal::emulator::DispatchLosses>()};
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(fmt::format("findings of a plug-in's worker: {}", error.what()));
  }
}

}  // namespace assay::validation::transport
