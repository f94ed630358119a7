// Declarations that stand for Apple's <mach/mach.h>: as much as metal-cpp's headers need to parse elsewhere.
#pragma once

using kern_return_t = int;
using task_id_token_t = unsigned;
