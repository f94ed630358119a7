// What compute kernels write for indirect dispatches, draws and tessellation: Metal Shading Language Specification,
// section 2.21. Render functions themselves are not run here.
#pragma once

#include <assay/scalar.h>

struct MTLDispatchThreadgroupsIndirectArguments {
  uint threadgroupsPerGrid[3];
};
struct MTLStageInRegionIndirectArguments {
  uint stageInOrigin[3];
  uint stageInSize[3];
};
struct MTLDrawPrimitivesIndirectArguments {
  uint vertexCount, instanceCount, vertexStart, baseInstance;
};
struct MTLDrawIndexedPrimitivesIndirectArguments {
  uint indexCount, instanceCount, indexStart;
  int baseVertex;
  uint baseInstance;
};
struct MTLDrawPatchIndirectArguments {
  uint patchCount, instanceCount, patchStart, baseInstance;
};
struct MTLQuadTessellationFactorsHalf {
  half edgeTessellationFactor[4];
  half insideTessellationFactor[2];
};
struct MTLTriangleTessellationFactorsHalf {
  half edgeTessellationFactor[3];
  half insideTessellationFactor;
};

namespace metal {

using ::MTLDispatchThreadgroupsIndirectArguments, ::MTLDrawIndexedPrimitivesIndirectArguments;
using ::MTLDrawPatchIndirectArguments, ::MTLDrawPrimitivesIndirectArguments, ::MTLQuadTessellationFactorsHalf;
using ::MTLStageInRegionIndirectArguments, ::MTLTriangleTessellationFactorsHalf;

namespace raytracing {}

}  // namespace metal
