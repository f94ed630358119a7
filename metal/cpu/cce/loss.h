// Linear cross-entropy and its gradients on CPUs, without ever holding the [N, V] logits.
//
//   hidden [N, H], weight [V, H], bias [V] or none, targets [N]  ->  loss [N] or [1] float32,
//                                                                   dhidden [N, H], dweight [V, H], dbias [V]
//
// Arrays are float32 (float), float16 (Half) or bfloat16 (BFloat16), all of one type. Logits, log-sum-exp and the sums
// of gradients are in float32 or better, whatever the type; gradients are rounded to it once, at the end.
// reference/cce/problem.h states the problem. With w_n the weight of a token's loss in what is returned times upstream:
//
//   dL/dx_v = w_n (p_v (1 + 2 z_loss lse) - (1 - eps) [v = t] - eps / V),   p_v = exp(x_v - lse)
//   dL/dz_v = dL/dx_v (1 - tanh^2(z_v / cap))
//   dhidden = dL/dz weight,   dweight = (dL/dz)^T hidden,   dbias = sum_n dL/dz
//
//   an ignored token      loss 0 and gradient 0; its row of hidden is not read
//   no token is left      sum 0, mean 0, gradients 0
//   x_t = -inf            loss +inf; the gradients are finite, as above
//
// Equal inputs and an equal number of threads give equal bits.
#pragma once

#include <span>

#include "metal/cpu/half.h"
#include "reference/cce/problem.h"

namespace assay::metal {

/// Where the gradients go. An empty span means that the gradient is not wanted. No output may overlap an input.
template <class Real>
struct CceGradients {
  std::span<Real> dhidden;  ///< [N, H]
  std::span<Real> dweight;  ///< [V, H]
  std::span<Real> dbias;    ///< [V]; empty for a problem without bias
};

template <class Real>
struct CceOutput {
  std::span<float> loss;  ///< [N] for Reduction::none, else [1]
  CceGradients<Real> gradients;
};

struct CceCpuOptions {
  int threads = 0;  ///< at most this many; 0: all that the machine has
};

/// Loss and gradients in one pass: each logit is computed once wherever memory allows. Writes every element of the
/// outputs. Throws std::invalid_argument for whatever reference::validate and validate_values refuse and for outputs of
/// another size than stated above; where validate_values refuses, the outputs may have been overwritten.
template <class Real>
void cce_loss(const reference::CceProblem<Real>& problem, const CceOutput<Real>& output,
              const CceCpuOptions& options = {});

/// The first half: losses, and the lse of each token, [N], for cce_backward (0 for ignored tokens).
template <class Real>
void cce_forward(const reference::CceProblem<Real>& problem, std::span<float> loss, std::span<double> log_sum_exp,
                 const CceCpuOptions& options = {});

/// The second half: computes the logits again.
template <class Real>
void cce_backward(const reference::CceProblem<Real>& problem, std::span<const double> log_sum_exp,
                  const CceGradients<Real>& gradients, const CceCpuOptions& options = {});

}  // namespace assay::metal
