// Declarations that stand for Apple's <dispatch/dispatch.h>: as much as metal-cpp's headers need to parse elsewhere.
#pragma once

using dispatch_data_t = struct dispatch_data_s*;
using dispatch_queue_t = struct dispatch_queue_s*;
