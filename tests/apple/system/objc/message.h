// Declarations that stand for Apple's <objc/message.h>: as much as metal-cpp's headers need to parse elsewhere.
#pragma once

extern "C" {
void objc_msgSend();
void objc_msgSend_fpret();
void objc_msgSend_stret();
}
