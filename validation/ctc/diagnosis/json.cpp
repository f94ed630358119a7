#include "validation/ctc/diagnosis/json.h"

#include <array>
#include <nlohmann/json.hpp>

#include "validation/core/json_text.h"

namespace assay::validation {
namespace {

using nlohmann::json;

// In the order of their enumerations.
constexpr std::array<const char*, 3> severities = {"note", "doubt", "fault"};
constexpr std::array<const char*, 4> kinds = {"finite", "infinite", "nan", "undefined"};

json to_object(const Symptom& symptom) {
  return {{"ailment", name_of(symptom.ailment)},
          {"severity", severities[static_cast<std::size_t>(symptom.severity)]},
          {"text", symptom.text}};
}

json to_object(const RowDiagnosis& row) {
  json object = {{"row", row.row},
                 {"input_length", row.input_length},
                 {"target_length", row.target_length},
                 {"repeats", nullptr},
                 {"kind", kinds[static_cast<std::size_t>(row.kind)]},
                 {"loss", row.loss_text},
                 {"healthy", row.is_healthy()},
                 {"symptoms", json::array()}};
  if (row.repeats) object["repeats"] = *row.repeats;
  for (const Symptom& symptom : row.symptoms) object["symptoms"].push_back(to_object(symptom));
  return object;
}

}  // namespace

std::string to_json(const std::vector<RowDiagnosis>& rows, const std::vector<std::string>& notes) {
  json object = {{"notes", notes}, {"rows", json::array()}};
  for (const RowDiagnosis& row : rows) object["rows"].push_back(to_object(row));
  return json_text(object, 2);
}

}  // namespace assay::validation
