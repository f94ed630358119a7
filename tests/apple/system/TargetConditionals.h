// Stands for Apple's <TargetConditionals.h>.
#pragma once

#define TARGET_OS_OSX 1
