// Judges the gradients of an operation's kernels, element by element, against the any-precision reference under the
// bounds of the gate, on generated cases or on a given one. An operation brings judge_gradients, which judges one case
// and finds patterns of wrong elements, and gradcheck_profile, for cases in which patterns can be told apart.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "validation/core/call_time.h"
#include "validation/core/draw.h"
#include "validation/core/kernel_unavailable.h"
#include "validation/core/proves_little.h"
#include "validation/core/report.h"
#include "validation/gradcheck/judge.h"
#include "validation/gradcheck/mistrust.h"
#include "validation/gradcheck/survey.h"

namespace assay::validation {

struct GradcheckOptions {
  int cases = 60;
  std::uint64_t seed = 1;
  int digits = 50;         ///< digits of the reference
  std::size_t worst = 10;  ///< how many elements to list
};

/// The extents and the type as text: "N=4 H=2 V=3 float16".
template <class Case>
std::string extents_text(const Case& c) {
  std::vector<std::string> words;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) words.push_back(fmt::format("{}={}", row.name, c.*row.in_case));
    if constexpr (IsDtype<Row>)
      if (row.said_always || c.*row.in_case != Case().*row.in_case) words.push_back(name_of(c.*row.in_case));
  });
  return fmt::format("{}", fmt::join(words, " "));
}

/// The command that judges `c` again. A large case is written to a file.
template <class Operation>
std::string gradcheck_line(const std::string& kernel, const typename Operation::Case& c) {
  const std::string start = fmt::format("./assay gradcheck {} --kernel {}", Operation::name, kernel);
  const std::string text = Operation::to_text(c);
  constexpr std::size_t longest_line = 2000;
  if (text.size() <= longest_line) return fmt::format("{} --case '{}'", start, text);
  const auto path = detail::failure_file("gradcheck", kernel + text);
  Operation::write(path, c);
  return fmt::format("{} --input {}", start, path.string());
}

/// Judges one case and adds the result to the survey.
template <class Operation>
void gradcheck_case(const typename Operation::Kernel& kernel, const typename Operation::Case& c, int digits,
                    const std::string& origin, GradcheckSurvey& survey) {
  if (const std::string reason = Operation::why_not(kernel, c); !reason.empty()) return survey.skip(reason);
  const auto line = [&] { return gradcheck_line<Operation>(kernel.info().name, c); };
  const std::string where = origin + " (" + extents_text(c) + ")";
  try {
    const GradientJudgement judgement = Operation::judge_gradients(kernel, c, digits);
    survey.add(judgement, where, judgement.is_wrong() ? line() : "");
  } catch (const Unsupported& reason) {
    survey.skip(reason.what());
  } catch (const ReferenceDisagrees& disagreement) {
    survey.add_mistrust(disagreement.what(), where);
  } catch (const KernelUnavailable&) {
    throw;
  } catch (const std::exception& exception) {
    survey.add_error(exception.what(), where, line());
  }
}

/// Checks the kernel on `given`, or on generated cases, up to that before which `stop` holds. `progress` gets the
/// number of cases judged so far.
template <class Operation>
GradcheckRecord gradcheck(const typename Operation::Kernel& kernel, const GradcheckOptions& options,
                          const std::optional<NamedCase<Operation>>& given = std::nullopt,
                          const Progress& progress = {}, const Stop& stop = {}) {
  GradcheckSurvey survey(fmt::format("{} kernel {}", Operation::name, kernel.info().name), options.worst);
  if (given) {
    gradcheck_case<Operation>(kernel, given->problem, options.digits, given->name, survey);
    return survey.conclude();
  }
  const CallLog calls;
  Random random(options.seed);
  int i = 0;
  for (; i < options.cases && !(stop && stop()); ++i) {
    if (progress) progress(i);
    const int size = 20 + 80 * i / options.cases;
    const auto passed_over = [&](const std::string& reason) { survey.skip(reason); };
    const auto c = draw_claimed<Operation>(random, size, Operation::gradcheck_profile(kernel), kernel, passed_over);
    gradcheck_case<Operation>(kernel, c, options.digits, fmt::format("generated case {}", i + 1), survey);
  }
  const auto judge = [&](std::vector<NamedCase<Operation>> cases) {
    for (NamedCase<Operation>& one : cases) {
      if (stop && stop()) break;
      fit_to_claims<Operation>(kernel, one.problem);
      const std::string name = one.name.substr(0, one.name.rfind(", "));  // without the extents, which are said anyway
      gradcheck_case<Operation>(kernel, one.problem, options.digits, name, survey);
    }
  };
  judge(Operation::sharp_cases());
  if (!survey.is_wrong()) judge(Operation::pattern_cases(options.seed));  // smaller cases tell more of a fault
  GradcheckRecord record = survey.conclude();
  if (record.verdict == Verdict::pass)
    mistrust(record, why_proves_little(claimed_share<Operation>(kernel), calls.returned()));
  if (i < options.cases)
    record.notes.push_back(fmt::format("the check was interrupted after {} of {} cases", i, options.cases));
  return record;
}

}  // namespace assay::validation
