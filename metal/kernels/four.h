// Four neighbouring elements of an array, loaded and stored at once where they are aligned to four.
#pragma once

#include <metal_stdlib>

namespace assay {

using namespace ::metal;

template <class D>
using Four = vec<D, 4>;

template <class D>
Four<D> aligned_four(device const D* line, ulong at) {
  return *(device const Four<D>*)(line + at);
}

template <class D>
void store_aligned_four(float4 four, device D* line, ulong at) {
  *(device Four<D>*)(line + at) = Four<D>(four);
}

/// Elements at .. at + 3, of which those below `end` exist; the others are `past_end`.
template <class D>
Four<D> load_four(device const D* line, ulong at, ulong end, D past_end) {
  Four<D> four = Four<D>(past_end);
  for (uint n = 0; n < 4; ++n)
    if (at + n < end) four[n] = line[at + n];
  return four;
}

/// Rounds to elements at .. at + 3, of which those below `end` exist.
template <class D>
void store_four(float4 four, device D* line, ulong at, ulong end) {
  for (uint n = 0; n < 4; ++n)
    if (at + n < end) line[at + n] = D(four[n]);
}

}  // namespace assay
