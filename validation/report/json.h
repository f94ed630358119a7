// Reports as JSON, and back. docs/reports.md lists the fields.
//
// {"format": "assay gate report", "format_version": 1, "version": "0.1.0", "complete": true, "runs": [...]}, where a
// number that JSON cannot express is a string: "nan", "inf" or "-inf".
#pragma once

#include <string>

#include "validation/report/record.h"

namespace assay::validation {

std::string to_json(const Report& report);

/// Throws std::invalid_argument, which names `source` and the field, where `text` is not a report: it is cut short, of
/// another program or format version, or a field is missing, of another type or out of range.
Report report_from_json(const std::string& text, const std::string& source);

/// The result of one unit, as shards' reports have it, and back.
std::string to_json(const UnitRecord& unit);
UnitRecord unit_from_json(const std::string& text, const std::string& source);

}  // namespace assay::validation
