# Apple's C++ headers for Metal, as target MetalCpp::MetalCpp: https://developer.apple.com/metal/cpp. They come as an
# archive; METAL_CPP_DIR, a CMake or an environment variable, names the folder that it was unpacked to.
find_path(
  MetalCpp_INCLUDE_DIR Metal/Metal.hpp
  HINTS "${METAL_CPP_DIR}" ENV METAL_CPP_DIR
  PATH_SUFFIXES metal-cpp)
mark_as_advanced(MetalCpp_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  MetalCpp
  REQUIRED_VARS MetalCpp_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "unpack Apple's metal-cpp and give -D METAL_CPP_DIR=FOLDER, or -D ASSAY_WITH_APPLE=OFF")

if(MetalCpp_FOUND AND NOT TARGET MetalCpp::MetalCpp)
  add_library(MetalCpp::MetalCpp INTERFACE IMPORTED)
  set_target_properties(MetalCpp::MetalCpp PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${MetalCpp_INCLUDE_DIR}")
endif()
