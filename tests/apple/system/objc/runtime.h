// Declarations that stand for Apple's <objc/runtime.h>: as much as metal-cpp's headers need to parse elsewhere.
#pragma once

struct objc_object {
  void* isa;
};
using id = objc_object*;
struct objc_selector;
using SEL = objc_selector*;

extern "C" {
void* objc_lookUpClass(const char* name);
void* objc_getProtocol(const char* name);
SEL sel_registerName(const char* name);
}
