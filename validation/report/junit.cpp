#include "validation/report/junit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <pugixml.hpp>
#include <sstream>
#include <vector>

#include "validation/core/printable.h"
#include "validation/core/report.h"

namespace assay::validation {
namespace {

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(printable(value).c_str());
}

void set_seconds(pugi::xml_node node, double seconds) {
  set(node, "time", fmt::format("{:.3f}", seconds));
}

void add_property(pugi::xml_node properties, const char* name, const std::string& value) {
  pugi::xml_node property = properties.append_child("property");
  set(property, "name", name);
  set(property, "value", value);
}

struct Counts {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const PropertyRecord& property) {
    ++tests;
    failures += property.verdict == Verdict::fail || property.verdict == Verdict::mistrusted ? 1 : 0;
    errors += property.verdict == Verdict::error ? 1 : 0;
    skipped += property.verdict == Verdict::skipped ? 1 : 0;
    seconds += property.seconds;
  }

  void write(pugi::xml_node node) const {
    set(node, "tests", std::to_string(tests));
    set(node, "failures", std::to_string(failures));
    set(node, "errors", std::to_string(errors));
    set(node, "skipped", std::to_string(skipped));
    set_seconds(node, seconds);
  }
};

/// The properties as tests, and one more that fails if the run judged or proves nothing: a reader takes skipped tests for
/// a success.
std::vector<PropertyRecord> tests_of(const GateRecord& run) {
  std::vector<PropertyRecord> tests = run.properties;
  const std::string why = judged_nothing(run) ? advice_on_nothing : why_mistrusted(run);
  if (why.empty()) return tests;
  PropertyRecord none = unjudged("judged", "what was judged proves something");
  none.verdict = Verdict::mistrusted;
  none.mistrust = why;
  tests.push_back(none);
  return tests;
}

Counts counts_of(const GateRecord& run) {
  Counts counts;
  for (const auto& property : tests_of(run)) counts.add(property);
  return counts;
}

std::string name_of(const GateRecord& run) {
  return run.question.operation + "." + run.question.kernel;
}

void add_options(pugi::xml_node suite, const Report& report, const GateRecord& run) {
  const GateQuestion& asked = run.question;
  pugi::xml_node properties = suite.append_child("properties");
  add_property(properties, "version", report.version);
  add_property(properties, "complete", report.complete ? "true" : "false");
  add_property(properties, "operation", asked.operation);
  add_property(properties, "kernel", asked.kernel);
  add_property(properties, "cases", std::to_string(asked.cases));
  add_property(properties, "seed", std::to_string(asked.seed));
  add_property(properties, "digits", std::to_string(asked.digits));
  add_property(properties, "filter", asked.filter);
  add_property(properties, "given", fmt::format("{}", fmt::join(asked.given, ", ")));
  add_property(properties, "shard", fmt::format("{} of {}", run.shard.index, run.shard.total));
}

void add_failure(pugi::xml_node test, const PropertyRecord& property) {
  const FailureRecord& failure = *property.failure;
  pugi::xml_node node = test.append_child(property.verdict == Verdict::error ? "error" : "failure");
  set(node, "message", fmt::format("{} ({})", property.claim, failure.origin));
  set(node, "type", std::string(validation::name_of(property.verdict)));
  const std::string& cause = failure.usual_cause;
  const auto text = fmt::format("{}{}\n{}reproduce with\n  {}\n{}", errors_text(failure.first_margin, failure.margin),
                                failure.explanation, failure.why.text, failure.reproducer,
                                cause.empty() ? "" : fmt::format("usual cause\n  {}\n", cause));
  node.text().set(printable(text).c_str());
}

void add_skips(pugi::xml_node test, const PropertyRecord& property) {
  std::string reasons;
  for (const auto& [reason, count] : property.skipped)
    reasons += fmt::format("{}{} ({} cases)", reasons.empty() ? "" : "; ", reason, count);
  set(test.append_child("skipped"), "message", reasons);
}

void add_test(pugi::xml_node suite, const std::string& class_name, const PropertyRecord& property) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", class_name);
  set(test, "name", property.property);
  set_seconds(test, property.seconds);
  pugi::xml_node properties = test.append_child("properties");
  add_property(properties, "claim", property.claim);
  add_property(properties, "cases", std::to_string(property.cases));
  add_property(properties, "elements", std::to_string(property.judged.elements));
  add_property(properties, "judged", std::to_string(property.judged.judged));
  add_property(properties, "worst_share", fmt::format("{}", property.worst.share));
  if (property.failure) {
    add_property(properties, "first_error", fmt::format("{}", property.failure->first_margin.error));
    add_property(properties, "first_share", fmt::format("{}", property.failure->first_margin.share));
    add_property(properties, "error", fmt::format("{}", property.failure->margin.error));
    add_property(properties, "share", fmt::format("{}", property.failure->margin.share));
    add_property(properties, "reproducer", property.failure->reproducer);
    add_failure(test, property);
  } else if (property.verdict == Verdict::mistrusted) {
    pugi::xml_node node = test.append_child("failure");
    set(node, "message", property.claim);
    set(node, "type", "mistrusted");
    node.text().set(printable(property.why_mistrusted()).c_str());
  } else if (property.verdict == Verdict::skipped) {
    add_skips(test, property);
  }
}

}  // namespace

std::string to_junit(const Report& report) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.prepend_child(pugi::node_declaration);
  set(declaration, "version", "1.0");
  set(declaration, "encoding", "UTF-8");
  pugi::xml_node suites = document.append_child("testsuites");
  set(suites, "name", report_name);
  Counts all;
  for (const auto& run : report.runs)
    for (const auto& property : tests_of(run)) all.add(property);
  all.write(suites);
  for (const auto& run : report.runs) {
    pugi::xml_node suite = suites.append_child("testsuite");
    set(suite, "name", name_of(run));
    counts_of(run).write(suite);
    add_options(suite, report, run);
    for (const auto& property : tests_of(run)) add_test(suite, name_of(run), property);
  }
  std::ostringstream text;
  document.save(text, " ");
  return text.str();
}

}  // namespace assay::validation
