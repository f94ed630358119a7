// Reports and results of units as JSON.
#include <nlohmann/json.hpp>

#include <cmath>

#include "validation/core/json_text.h"
#include "validation/core/report.h"
#include "validation/report/condition_text.h"
#include "validation/report/json.h"

namespace assay::validation {
namespace {

using nlohmann::ordered_json;

ordered_json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

ordered_json numbers(const std::vector<double>& values) {
  ordered_json all = ordered_json::array();
  for (const double value : values) all.push_back(number(value));
  return all;
}

ordered_json of(const Picture& picture) {
  return {{"title", picture.title},
          {"row_label", picture.row_label},
          {"column_label", picture.column_label},
          {"rows", picture.rows},
          {"columns", picture.columns},
          {"pooled_rows", picture.pooled_rows},
          {"pooled_columns", picture.pooled_columns},
          {"values", numbers(picture.values)}};
}

ordered_json of(const Margin& margin) {
  return {{"share", number(margin.share)}, {"error", number(margin.error)}, {"place", margin.place}};
}

ordered_json of(const Why& why) {
  ordered_json sources = ordered_json::array();
  for (const MarkedSource& source : why.sources) {
    ordered_json marks = ordered_json::array();
    for (const LineMark& mark : source.marks)
      marks.push_back({{"line", mark.line}, {"share", mark.share}, {"bits", mark.lost_bits}, {"note", mark.note}});
    sources.push_back({{"file", source.file}, {"lines", source.lines}, {"marks", marks}});
  }
  return {{"place", why.place}, {"text", why.text}, {"sources", sources}};
}

ordered_json of(const FailureRecord& failure) {
  ordered_json pictures = ordered_json::array();
  for (const auto& picture : failure.pictures) pictures.push_back(of(picture));
  return {{"unit", failure.unit},
          {"origin", failure.origin},
          {"margin", of(failure.margin)},
          {"first_margin", of(failure.first_margin)},
          {"errors", errors_text(failure.first_margin, failure.margin)},
          {"explanation", failure.explanation},
          {"why", of(failure.why)},
          {"usual_cause", failure.usual_cause},
          {"reproducer", failure.reproducer},
          {"pictures", pictures}};
}

ordered_json of(const SizesTogether& together) {
  ordered_json all = ordered_json::array();
  for (const auto& [names, sizes] : together.all()) {
    ordered_json& one = all.emplace_back(ordered_json::object());
    for (const auto& [extent, size] : sizes) one[extent] = size;
  }
  return all;
}

ordered_json of(const std::map<std::string, Reached>& reached) {
  ordered_json all = ordered_json::object();
  for (const auto& [extent, one] : reached)
    all[extent] = {{"size", one.size}, {"noticed", one.noticed}, {"due", one.due}, {"terms", one.terms}};
  return all;
}

ordered_json of(const std::map<std::string, SkipCause>& causes) {
  ordered_json all = ordered_json::object();
  for (const auto& [reason, cause] : causes) all[reason] = name_of(cause);
  return all;
}

ordered_json of(const std::map<std::string, double>& shares) {
  ordered_json all = ordered_json::object();
  for (const auto& [result, share] : shares) all[result] = number(share);
  return all;
}

ordered_json of(const std::map<std::string, std::map<std::int64_t, double>>& errors) {
  ordered_json all = ordered_json::object();
  for (const auto& [extent, of_sizes] : errors) {
    all[extent] = {{"growth", growth_of(of_sizes)}, {"sizes", ordered_json::array()}};
    for (const auto& [size, error] : of_sizes) all[extent]["sizes"].push_back({size, number(error)});
  }
  return all;
}

ordered_json of(const std::map<std::string, JudgedSizes>& judged_sizes) {
  ordered_json all = ordered_json::object();
  for (const auto& [extent, one] : judged_sizes) {
    all[extent] = {
        {"judged", ordered_json::array()}, {"thin", ordered_json::array()}, {"declined", ordered_json::array()}};
    for (const auto& [size, count] : one.judged) all[extent]["judged"].push_back({size, count});
    for (const auto& [size, count] : one.thin) all[extent]["thin"].push_back({size, count});
    for (const auto& [size, count] : one.declined) all[extent]["declined"].push_back({size, count});
  }
  return all;
}

ordered_json of(const Coverage& coverage) {
  return {{"cases", coverage.cases()}, {"classes", coverage.counts()}};
}

ordered_json of(const PropertyRecord& property) {
  ordered_json worst = of(property.worst);
  worst["case"] = property.worst_case;
  return {{"name", property.property},
          {"claim", property.claim},
          {"far", property.is_far},
          {"many_rows", property.has_many_rows},
          {"verdict", name_of(property.verdict)},
          {"cases", property.cases},
          {"skipped", property.skipped},
          {"skip_causes", of(property.skip_causes)},
          {"elements", property.judged.elements},
          {"judged", property.judged.judged},
          {"largest_bound", number(property.judged.bound)},
          {"certified", property.evidence.certified},
          {"compared", property.evidence.compared},
          {"undeclared", of(property.evidence.undeclared)},
          {"codes", property.evidence.codes},
          {"tied", property.evidence.tied},
          {"weighed", property.evidence.weighed},
          {"ill_conditioned", property.evidence.ill_conditioned},
          {"condition", property.evidence.condition},
          {"returned",
           {{"numbers", property.returned.numbers},
            {"differ", property.returned.differ},
            {"first", number(property.returned.first)}}},
          {"hidden", property.hidden},
          {"ordinary", {{"judged", property.ordinary.judged}, {"declined", property.ordinary.declined}}},
          {"measured", property.measured},
          {"thin", property.thin},
          {"mistrust", property.verdict == Verdict::mistrusted ? property.why_mistrusted() : property.mistrust},
          {"worst", worst},
          {"histogram", {{"bins", property.histogram.bins}, {"nan", property.histogram.nan}}},
          {"judged_sizes", of(property.judged_sizes)},
          {"reached", of(property.reached)},
          {"sizes", property.sizes},
          {"together", of(property.together)},
          {"errors", of(property.errors)},
          {"seconds", property.seconds},
          {"failure", property.failure ? of(*property.failure) : ordered_json()}};
}

ordered_json of(const UnitRecord& one) {
  ordered_json unit = of(one.result);
  unit["unit"] = one.unit;
  unit["coverage"] = of(one.coverage);
  return unit;
}

ordered_json of(const GateRecord& run) {
  ordered_json properties = ordered_json::array();
  for (const auto& property : run.properties) properties.push_back(of(property));
  const GateQuestion& asked = run.question;
  ordered_json all = {{"operation", asked.operation},
                      {"kernel", asked.kernel},
                      {"fingerprint", asked.fingerprint},
                      {"cases", asked.cases},
                      {"seed", asked.seed},
                      {"digits", asked.digits},
                      {"filter", asked.filter},
                      {"given", asked.given},
                      {"reach", name_of(asked.reach)},
                      {"shard", {{"index", run.shard.index}, {"total", run.shard.total}}},
                      {"units", run.units},
                      {"units_done", run.units_done},
                      {"claimed", run.claimed},
                      {"narrow", run.narrow},
                      {"mistrust", why_mistrusted(run)},
                      {"coverage", of(run.coverage)},
                      {"properties", properties}};
  if (run.shard.total > 1) {
    all["judged"] = ordered_json::array();
    for (const auto& one : run.judged) all["judged"].push_back(of(one));
  }
  return all;
}

}  // namespace

std::string to_json(const UnitRecord& unit) {
  return json_text(of(unit), -1);
}

std::string to_json(const Report& report) {
  ordered_json runs = ordered_json::array();
  for (const auto& run : report.runs) runs.push_back(of(run));
  const ordered_json all = {{"format", report_name},
                            {"format_version", report_format},
                            {"version", report.version},
                            {"complete", report.complete},
                            {"runs", runs}};
  return json_text(all, 1) + "\n";
}

}  // namespace assay::validation
