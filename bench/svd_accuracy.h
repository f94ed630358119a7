// How accurate singular values and vectors are, of ours and of others, as a table.
#pragma once

#include <vector>

#include "bench/svd_peers.h"

namespace assay::bench {

/// metal::svd of one matrix of float, on one thread.
bool our_svd(std::int64_t n, const float* A, float* U, float* S, float* Vh);

/// Prints a row for ours and each of the peers: residual and orthogonality of Gaussian matrices in units of
/// 4 sqrt(n) 2^-24, and the largest relative error of a singular value of graded ones in units of 2^-24.
void print_accuracy(const std::vector<SvdPeer<float>>& peers);

}  // namespace assay::bench
