// A report with something of everything in it, and names that no format may choke on.
#pragma once

#include <limits>
#include <string>

#include "validation/report/record.h"

namespace assay::validation {

inline constexpr const char* hostile_name = "</script><b>bold</b>&\"'<!--";

inline PropertyRecord sample_property(const std::string& name, Verdict verdict, double share) {
  PropertyRecord property;
  property.property = name;
  property.claim = "claims <that> & 'this'";
  property.verdict = verdict;
  property.cases = 240;
  property.worst = {share, "gradient[t=3, b=0, k=2]"};
  property.worst_case = "generated";
  property.reached = {{"B", {131073, 131073, 131073}}, {"T", {1025, 12, 4097}}};
  property.sizes = {{"B", {1, 2, 131073}}, {"T", {0, 1, 9, 1025}}};
  property.judged = {1000, 900, 0.25};
  property.measured = 200;
  property.thin = 12;
  property.seconds = 1.25;
  for (int i = 0; i < 100; ++i) property.histogram.count(share / (1 << (i % 12)));
  return property;
}

inline PropertyRecord sample_failure(const std::string& name, Verdict verdict, std::int64_t unit) {
  PropertyRecord property = sample_property(name, verdict, std::numeric_limits<double>::quiet_NaN());
  Picture lattice = picture_of("posterior of the lattice's states, row 0", "state s", "frame t", 7, 12,
                               [](std::int64_t s, std::int64_t t) { return s + t == 6 ? 1.0 : 0.01 * double(s * t); });
  Picture errors = picture_of("error of the gradient as a share of its bound, row 0", "class k", "frame t", 5, 12,
                              [](std::int64_t k, std::int64_t t) { return k == 2 ? 1e4 * double(t) : 1e-3; });
  errors.values[0] = std::numeric_limits<double>::quiet_NaN();
  errors.values[1] = std::numeric_limits<double>::infinity();
  property.failure = FailureRecord{unit,
                                   "generated, shrunk in 12 steps",
                                   "  gradient[t=3, b=0, k=2]\n    expected 0.25\n    got      nan & <worse>\x01",
                                   "./assay replay 'operation=ctc property=" + name + " kernel=it'\\''s T=2 B=1'",
                                   {lattice, errors},
                                   {1.25, "loss[0]", 0.5},
                                   {std::numeric_limits<double>::infinity(), "loss[3]", 7.5}};
  property.evidence = {3, 1, {{"output", std::numeric_limits<double>::infinity()}}};
  property.evidence.weighed = 12;
  property.errors = {{"T", {{9, 1e-7}, {4097, std::numeric_limits<double>::infinity()}}}};
  property.hidden = {"0 of the 4097 terms of the sum in line 12"};
  property.failure->usual_cause = "0 / 0, or -inf - (-inf), where an output has underflowed";
  property.failure->why = {"k.metal:2",
                           "    100 %  18.8 bits  k.metal:2  y[i] = a - b;\n",
                           {{"k.metal",
                             {"kernel <void> k(...) {", "  y[i] = a - b;", "  z[i] = y[i] / 0;"},
                             {{2, 1, 18.8}, {3, 0, 0, "1 / 0 = inf"}}}}};
  return property;
}

inline GateRecord sample_run(const std::string& kernel) {
  GateRecord run;
  run.question = {"ctc", kernel, 400, 18446744073709551615U, 60, "^l|g", {"speech.npz", "T=1500"}, Reach::full};
  run.units = run.units_done = 12;
  run.coverage = Coverage(480, {{"no frames", 40}, {"repeats", 440}, {"zero_infinity", 0}});
  run.properties = {sample_property("loss", Verdict::pass, 0.25), sample_failure("gradient", Verdict::fail, 1),
                    sample_failure("refusals", Verdict::error, 0), sample_property("shift", Verdict::mistrusted, 0.5),
                    sample_property("linearity", Verdict::skipped, 0)};
  run.properties[2].is_far = true;
  run.properties[3].mistrust = "  the reference is not certain: loss[0]";
  run.properties[4].skipped = {{"no frames", 40}, {"the kernel does not do S > 34", 200}};
  run.properties[4].skip_causes = {{"the kernel does not do S > 34", SkipCause::declined}};
  return run;
}

/// One run, complete, with a failure, an error, a mistrusted and a skipped property.
inline Report sample_report(const std::string& kernel = hostile_name) {
  Report report;
  report.complete = true;
  report.runs = {sample_run(kernel)};
  return report;
}

}  // namespace assay::validation
