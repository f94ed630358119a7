// The one source that compiles metal-cpp's own definitions: selectors, classes and functions of Metal and Foundation.
#define NS_PRIVATE_IMPLEMENTATION
#define MTL_PRIVATE_IMPLEMENTATION
#include <Foundation/Foundation.hpp>
#include <Metal/Metal.hpp>
