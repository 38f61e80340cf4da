# Generates a source with the texts of the experiment files that rarefact verify runs, so that the program
# needs no further files. Edited files are embedded by the next build.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/theorems/*/*.toml)
list(SORT files)
set(RAREFACT_EXPERIMENT_ENTRIES "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/experiments/theorems ${file})
  string(APPEND RAREFACT_EXPERIMENT_ENTRIES "      {\"${name}\", R\"TOML(${text})TOML\"},\n")
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/embedded_experiments.cpp.in ${PROJECT_BINARY_DIR}/generated/embedded_experiments.cpp @ONLY)
target_sources(rarefact_verify PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_experiments.cpp)
