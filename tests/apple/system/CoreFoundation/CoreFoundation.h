// Declarations that stand for Apple's <CoreFoundation/CoreFoundation.h>: as much as metal-cpp's headers need to parse
// elsewhere.
#pragma once

#include <dispatch/dispatch.h>
#include <mach/mach.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

using CFTimeInterval = double;
using CFStringRef = const struct __CFString*;  // NOLINT(bugprone-reserved-identifier): Apple's own name
extern "C" CFStringRef __CFStringMakeConstantString(const char* text);
