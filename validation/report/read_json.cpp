// Reports and results of units from JSON, of which each field is checked.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "validation/core/parse_json.h"
#include "validation/report/json.h"
#include "validation/report/json_reader.h"

namespace assay::validation {
namespace {

Verdict verdict_from(const JsonReader& json) {
  const auto name = json.text();
  for (const auto verdict : {Verdict::pass, Verdict::skipped, Verdict::mistrusted, Verdict::error, Verdict::fail})
    if (name == name_of(verdict)) return verdict;
  json.refuse("pass, skipped, mistrusted, error or fail");
}

SkipCause skip_cause_from(const JsonReader& json) {
  const auto name = json.text();
  for (const auto cause :
       {SkipCause::other, SkipCause::not_claimed, SkipCause::wrong_kind, SkipCause::declined, SkipCause::too_slow})
    if (name == name_of(cause)) return cause;
  json.refuse("other, not claimed, wrong kind, declined or too slow");
}

Picture picture_from(const JsonReader& json) {
  Picture picture;
  picture.title = json["title"].text();
  picture.row_label = json["row_label"].text();
  picture.column_label = json["column_label"].text();
  picture.rows = json["rows"].whole(0, 100'000);
  picture.columns = json["columns"].whole(0, 100'000);
  picture.pooled_rows = json["pooled_rows"].whole(1);
  picture.pooled_columns = json["pooled_columns"].whole(1);
  json["values"].each([&](const JsonReader& value) { picture.values.push_back(value.number()); });
  if (std::ssize(picture.values) != picture.rows * picture.columns) json["values"].refuse("rows times columns numbers");
  return picture;
}

/// Reports of earlier versions have fewer fields.
Margin margin_from(const JsonReader& json) {
  return {json["share"].number(), json["place"].text(), json.has("error") ? json["error"].number() : 0};
}

LineMark mark_from(const JsonReader& json) {
  return {static_cast<std::uint32_t>(json["line"].whole(1, 1'000'000'000)), json["share"].number(),
          json["bits"].number(), json["note"].text()};
}

MarkedSource source_from(const JsonReader& json) {
  MarkedSource source{json["file"].text(), {}, {}};
  json["lines"].each([&](const JsonReader& line) { source.lines.push_back(line.text()); });
  json["marks"].each([&](const JsonReader& mark) { source.marks.push_back(mark_from(mark)); });
  return source;
}

Why why_from(const JsonReader& json) {
  Why why{json["place"].text(), json["text"].text()};
  if (json.has("sources"))
    json["sources"].each([&](const JsonReader& source) { why.sources.push_back(source_from(source)); });
  return why;
}

FailureRecord failure_from(const JsonReader& json) {
  FailureRecord failure{
      json["unit"].whole(0), json["origin"].text(), json["explanation"].text(), json["reproducer"].text(), {}};
  if (json.has("margin")) failure.margin = margin_from(json["margin"]);
  if (json.has("first_margin")) failure.first_margin = margin_from(json["first_margin"]);
  if (json.has("why")) failure.why = why_from(json["why"]);
  if (json.has("usual_cause")) failure.usual_cause = json["usual_cause"].text();
  json["pictures"].each([&](const JsonReader& picture) { failure.pictures.push_back(picture_from(picture)); });
  return failure;
}

MarginHistogram histogram_from(const JsonReader& json) {
  MarginHistogram histogram;
  std::size_t bins = 0;
  json["bins"].each([&](const JsonReader& bin) {
    if (bins < histogram.bins.size()) histogram.bins[bins] = bin.whole(0);
    ++bins;
  });
  if (bins != histogram.bins.size()) json["bins"].refuse(fmt::format("{} numbers", histogram.bins.size()));
  histogram.nan = json["nan"].whole(0);
  return histogram;
}

void take_judged(const JsonReader& json, PropertyRecord& property) {
  property.judged.elements = json["elements"].whole(0);
  property.judged.judged = json["judged"].whole(0, property.judged.elements);
  property.judged.bound = json["largest_bound"].number();
  property.measured = json["measured"].whole(0);
  property.thin = json["thin"].whole(0, property.measured);
}

/// Reports of earlier versions do not have them.
void take_evidence(const JsonReader& json, PropertyRecord& property) {
  property.evidence.certified = json["certified"].whole(0);
  property.evidence.compared = json["compared"].whole(0);
  if (json.has("codes")) {
    property.evidence.codes = json["codes"].whole(0);
    property.evidence.tied = json["tied"].whole(0, property.evidence.codes);
  }
  if (json.has("weighed")) {
    property.evidence.weighed = json["weighed"].whole(0);
    property.evidence.ill_conditioned = json["ill_conditioned"].whole(0, property.evidence.weighed);
    property.evidence.condition = json["condition"].number();
  }
  json["undeclared"].each_member([&](const std::string& result, const JsonReader& share) {
    property.evidence.undeclared[result] = share.number();
  });
  json["hidden"].each([&](const JsonReader& line) { property.hidden.push_back(line.text()); });
}

/// A pair of a size and `what` was found there.
std::vector<JsonReader> pair_from(const JsonReader& json, const std::string& what) {
  std::vector<JsonReader> pair;
  json.each([&](const JsonReader& one) { pair.push_back(one); });
  if (pair.size() != 2) json.refuse("a size and " + what);
  return pair;
}

void take_error(const JsonReader& json, std::map<std::int64_t, double>& of_sizes) {
  const auto pair = pair_from(json, "an error");
  of_sizes[pair[0].whole(0)] = pair[1].number();
}

JudgedSizes::Counts counts_from(const JsonReader& json) {
  JudgedSizes::Counts counts;
  json.each([&](const JsonReader& one) {
    const auto pair = pair_from(one, "a number of cases");
    counts[pair[0].whole(0)] = pair[1].whole(1);
  });
  return counts;
}

PropertyRecord property_from(const JsonReader& json) {
  PropertyRecord property;
  property.property = json["name"].text();
  property.claim = json["claim"].text();
  property.is_far = json.has("far") && json["far"].truth();
  property.has_many_rows = json.has("many_rows") && json["many_rows"].truth();
  property.verdict = verdict_from(json["verdict"]);
  property.cases = json["cases"].whole(0);
  property.skipped = json["skipped"].counts();
  if (json.has("skip_causes"))
    json["skip_causes"].each_member([&](const std::string& reason, const JsonReader& cause) {
      property.skip_causes[reason] = skip_cause_from(cause);
    });
  if (json.has("elements")) take_judged(json, property);
  if (json.has("certified")) take_evidence(json, property);
  if (json.has("judged_sizes"))
    json["judged_sizes"].each_member([&](const std::string& extent, const JsonReader& one) {
      property.judged_sizes[extent] = {counts_from(one["judged"]), counts_from(one["thin"]),
                                       counts_from(one["declined"])};
    });
  if (json.has("ordinary"))
    property.ordinary = {json["ordinary"]["judged"].whole(0), json["ordinary"]["declined"].whole(0)};
  // What follows from the counts is found anew, as a merge may change it.
  if (const std::string why = json["mistrust"].text(); why != property.why_mistrusted()) property.mistrust = why;
  if (json.has("returned")) {
    const JsonReader returned = json["returned"];
    property.returned = {returned["numbers"].whole(0), returned["differ"].truth(), returned["first"].number()};
  }
  property.worst = margin_from(json["worst"]);
  property.worst_case = json["worst"]["case"].text();
  property.histogram = histogram_from(json["histogram"]);
  json["reached"].each_member([&](const std::string& extent, const JsonReader& one) {
    property.reached[extent] = {one["size"].whole(0), one["noticed"].whole(0), one["due"].whole(0),
                                one["terms"].whole(0)};
  });
  if (json.has("sizes"))
    json["sizes"].each_member([&](const std::string& extent, const JsonReader& sizes) {
      sizes.each([&](const JsonReader& size) { property.sizes[extent].insert(size.whole(0)); });
    });
  if (json.has("together"))
    json["together"].each([&](const JsonReader& one) {
      SizesTogether::Sizes sizes;
      one.each_member(
          [&](const std::string& extent, const JsonReader& size) { sizes.emplace_back(extent, size.whole(0)); });
      if (!sizes.empty()) property.together.add(sizes);
    });
  if (json.has("errors"))
    json["errors"].each_member([&](const std::string& extent, const JsonReader& measured) {
      measured["sizes"].each([&](const JsonReader& one) { take_error(one, property.errors[extent]); });
    });
  property.seconds = json["seconds"].number();
  if (!json["failure"].is_null()) property.failure = failure_from(json["failure"]);
  if (property.failure.has_value() != is_failure(property.verdict))
    json["failure"].refuse("a failure where the verdict is fail or error, and null elsewhere");
  return property;
}

Reach reach_from(const JsonReader& json) {
  for (const auto reach : all_reaches)
    if (json.text() == name_of(reach)) return reach;
  json.refuse("none, quick, full or thorough");
}

GateQuestion question_from(const JsonReader& json) {
  GateQuestion question{json["operation"].text(),
                        json["kernel"].text(),
                        static_cast<int>(json["cases"].whole(0, 100'000'000)),
                        json["seed"].seed(),
                        static_cast<int>(json["digits"].whole(1, 1'000'000)),
                        json["filter"].text(),
                        {}};
  json["given"].each([&](const JsonReader& name) { question.given.push_back(name.text()); });
  question.reach = reach_from(json["reach"]);
  if (json.has("fingerprint")) question.fingerprint = json["fingerprint"].text();
  return question;
}

Coverage coverage_from(const JsonReader& json) {
  return {json["cases"].whole(0), json["classes"].counts()};
}

UnitRecord unit_from(const JsonReader& json) {
  return {json["unit"].whole(0), property_from(json), coverage_from(json["coverage"])};
}

GateRecord run_from(const JsonReader& json) {
  GateRecord run;
  run.question = question_from(json);
  run.shard.total = json["shard"]["total"].whole(1);
  run.shard.index = json["shard"]["index"].whole(0, run.shard.total - 1);
  run.units = json["units"].whole(0);
  run.units_done = json["units_done"].whole(0, run.units);
  if (json.has("claimed")) run.claimed = json["claimed"].number();
  if (json.has("narrow")) run.narrow = json["narrow"].counts();
  run.coverage = coverage_from(json["coverage"]);
  json["properties"].each([&](const JsonReader& property) { run.properties.push_back(property_from(property)); });
  if (run.shard.total == 1) return run;
  json["judged"].each([&](const JsonReader& one) { run.judged.push_back(unit_from(one)); });
  return run;
}

nlohmann::json parsed(const std::string& text, const std::string& source) try {
  return parse_json(text, source);
} catch (const BrokenJson& error) {
  throw std::invalid_argument(fmt::format("{}: was the report cut short? Write it again", error.what()));
}

}  // namespace

UnitRecord unit_from_json(const std::string& text, const std::string& source) {
  const nlohmann::json all = parsed(text, source);
  return unit_from({all, source + ": "});
}

Report report_from_json(const std::string& text, const std::string& source) {
  const nlohmann::json all = parsed(text, source);
  const JsonReader json(all, source + ": ");
  if (json["format"].text() != report_name) json["format"].refuse(fmt::format("'{}'", report_name));
  if (json["format_version"].whole(0) != report_format)
    json["format_version"].refuse(fmt::format("{}, which this version of assay writes", report_format));
  Report report{json["version"].text(), json["complete"].truth(), {}};
  json["runs"].each([&](const JsonReader& run) { report.runs.push_back(run_from(run)); });
  return report;
}

}  // namespace assay::validation
