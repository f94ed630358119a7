# Installs the headers, libraries and program, and exports the package that find_package(assay) reads.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/assay")

set(libraries reference metal metal_host device emulator validation)
if(TARGET assay_apple)
  list(APPEND libraries apple)
endif()
foreach(library IN LISTS libraries)
  set_target_properties(assay_${library} PROPERTIES EXPORT_NAME ${library})
  install(TARGETS assay_${library} EXPORT assayTargets)
endforeach()
foreach(part IN ITEMS reference metal validation)
  install(
    DIRECTORY "${PROJECT_SOURCE_DIR}/${part}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/assay"
    FILES_MATCHING
    PATTERN "*.h")
endforeach()
# For the authors of plug-ins, and the program that calls them.
install(FILES "${PROJECT_SOURCE_DIR}/validation/plugin/assay_plugin.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS assay_plugin_worker DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/assay")
# The production kernels, which are compiled where they run.
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/metal/kernels"
  DESTINATION "${CMAKE_INSTALL_DATADIR}/assay"
  FILES_MATCHING
  PATTERN "*.metal"
  PATTERN "*.h")
# What shaders include, metal_stdlib and its like, has no ending.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/metal/emulator/include"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/assay/metal/emulator")
if(TARGET assay)
  install(TARGETS assay)
  install(FILES "${PROJECT_SOURCE_DIR}/notebooks/data/speech.npz" DESTINATION "${CMAKE_INSTALL_DATADIR}/assay")
endif()

install(
  EXPORT assayTargets
  NAMESPACE assay::
  DESTINATION "${package_dir}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/assayConfig.cmake.in" "${PROJECT_BINARY_DIR}/assayConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/assayConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
file(GLOB find_modules "${CMAKE_CURRENT_LIST_DIR}/Find*.cmake")
install(FILES "${PROJECT_BINARY_DIR}/assayConfig.cmake" "${PROJECT_BINARY_DIR}/assayConfigVersion.cmake" ${find_modules}
        DESTINATION "${package_dir}")
