# The C++ library for other projects: include/rarefact and a static library of all rooms except verify and
# cli, found by find_package(rarefact) as rarefact::rarefact.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
set(layers core algebra model optim theory io query experiment metrics sim results sweep api)
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:rarefact_\\1>" OUTPUT_VARIABLE objects)
add_library(rarefact_library STATIC ${objects})
set_target_properties(rarefact_library PROPERTIES OUTPUT_NAME rarefact EXPORT_NAME rarefact LINKER_LANGUAGE CXX)
target_compile_features(rarefact_library INTERFACE cxx_std_20)
target_include_directories(rarefact_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(rarefact_library PRIVATE fmt::fmt TBB::tbb OpenSSL::Crypto ZLIB::ZLIB tomlplusplus::tomlplusplus
                      PkgConfig::HDF5 ${HDF5_HIGH_LEVEL_LIBRARY} PkgConfig::DEFLATE)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/rarefact)
install(TARGETS rarefact_library EXPORT rarefact_targets)
install(DIRECTORY include/rarefact DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT rarefact_targets NAMESPACE rarefact:: DESTINATION ${package})
configure_package_config_file(cmake/rarefact-config.cmake.in ${PROJECT_BINARY_DIR}/rarefact-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rarefact-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rarefact-config.cmake ${PROJECT_BINARY_DIR}/rarefact-config-version.cmake DESTINATION ${package})
