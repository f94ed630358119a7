// Faults of Metal kernels (validation/core/shader_fault.h).
#include <memory>
#include <string>
#include <utility>

#include "validation/core/shader_fault.h"
#include "validation/svd/faults/faults.h"
#include "validation/svd/kernels.h"

namespace assay::validation::svd {
namespace {

constexpr auto production = metal::SvdPath::production;
constexpr auto plain = metal::SvdPath::plain;

constexpr ShaderFault<metal::SvdPath> shader_faults[] = {
    {{"metal-missing-barrier", "pairs of the next step begin before all of this one are rotated", "reconstruction"},
     production,
     "is_rotated = true;\n    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);",
     "is_rotated = true;"},
    {{"metal-wrong-memory-flag", "norms in device memory are read after a barrier over threadgroup memory", "values"},
     production,
     "normalize(W.columns, norms, shape, place);\n  threadgroup_barrier(mem_flags::mem_device);",
     "normalize(W.columns, norms, shape, place);\n  threadgroup_barrier(mem_flags::mem_threadgroup);"},
    {{"metal-loose-tolerance", "columns count as orthogonal at cosines of 2^-10", "orthonormal-u"},
     production,
     "tolerance = 0x1p-22f",
     "tolerance = 0x1p-10f"},
    {{"metal-sign-of-rotation", "the angle has the sign of no norm", "orthonormal-u"},
     production,
     "copysign(tangent, zeta)",
     "tangent"},
    {{"metal-last-step-missing", "a sweep has one step too few: some columns never meet", "orthonormal-u"},
     production,
     "for (uint step = 0; step < shape.padded - 1; ++step) {\n    const ColumnPair columns",
     "for (uint step = 0; step + 2 < shape.padded; ++step) {\n    const ColumnPair columns"},
    {{"metal-ascending", "singular values ascend", "order"}, production, "other > norm ||", "other < norm ||"},
    {{"metal-scale-of-first", "every matrix of a batch is scaled back as the first one is", "batch-singles"},
     production,
     "scaled_bits(norms[j], -exponents[b])",
     "scaled_bits(norms[j], -exponents[0])"},
    {{"metal-null-space-as-it-is", "columns of no length are stored as they are", "null-space"},
     production,
     "for (; known < shape.end_rank; ++known) complete(W, known, all_projections + first, parts, place);",
     ""},
    {{"metal-stride-of-vh", "rows of Vh are M apart", "orthonormal-v"},
     production,
     "Vh[ulong(r) * N + k]",
     "Vh[ulong(r) * M + k]"},
    {{"metal-last-step-decides", "only the last step of a sweep says whether there was a rotation", "orthonormal-u"},
     plain,
     "(shape.step == 0 ? 0 : *count) + is_rotated",
     "is_rotated"},
};

std::shared_ptr<const SvdKernel> kernel_of(std::string name, metal::SvdPath path, ShaderEdit edit) {
  return metal_svd_kernel({.name = std::move(name), .host = {.path = path}, .edit = std::move(edit)});
}

}  // namespace

std::vector<SvdFault> metal_faults() {
  return plant_in_shader<SvdOperation>(shader_faults, kernel_of);
}

}  // namespace assay::validation::svd
