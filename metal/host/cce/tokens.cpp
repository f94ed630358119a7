#include "metal/host/cce/tokens.h"

#include "metal/cpu/half.h"

namespace assay::metal::host {

template <class Real>
CceTables cce_tables(const reference::CceProblem<Real>& problem) {
  CceTables tables;
  std::vector<cce::Token>& tokens = tables.tokens;
  for (std::int64_t n = 0; n < problem.N; ++n)
    if (problem.is_ignored(n))
      tables.ignored.push_back(static_cast<std::uint32_t>(n));
    else
      tokens.push_back({static_cast<std::uint32_t>(n),
                        static_cast<std::uint32_t>(problem.targets[static_cast<std::size_t>(n)]), 1.0F});
  const bool is_mean = problem.reduction == reference::Reduction::mean;
  const double share = is_mean ? 1 / static_cast<double>(tokens.size()) : 1;
  if (!problem.upstream.empty() || is_mean)
    for (cce::Token& token : tokens) {
      const std::size_t which = problem.reduction == reference::Reduction::none ? token.row : 0;
      token.weight = static_cast<float>(share * (problem.upstream.empty() ? 1.0 : double{problem.upstream[which]}));
    }
  return tables;
}

template CceTables cce_tables(const reference::CceProblem<float>&);
template CceTables cce_tables(const reference::CceProblem<Half>&);
template CceTables cce_tables(const reference::CceProblem<BFloat16>&);

}  // namespace assay::metal::host
