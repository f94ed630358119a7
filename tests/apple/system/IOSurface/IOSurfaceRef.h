// Declarations that stand for Apple's <IOSurface/IOSurfaceRef.h>: as much as metal-cpp's headers need to parse
// elsewhere.
#pragma once

using IOSurfaceRef = struct __IOSurface*;  // NOLINT(bugprone-reserved-identifier): Apple's own name
