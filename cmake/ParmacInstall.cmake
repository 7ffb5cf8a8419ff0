include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(targets GLOBAL PROPERTY PARMAC_TARGETS)
install(TARGETS ${targets} EXPORT parmacTargets
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/parmac)
install(EXPORT parmacTargets NAMESPACE parmac:: DESTINATION ${config_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/parmacConfig.cmake.in
  ${PROJECT_BINARY_DIR}/parmacConfig.cmake INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/parmacConfigVersion.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES
  ${PROJECT_BINARY_DIR}/parmacConfig.cmake
  ${PROJECT_BINARY_DIR}/parmacConfigVersion.cmake
  DESTINATION ${config_folder})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
