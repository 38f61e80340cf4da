# Generates a source with the text of the experiment files that rarefact verify runs, so that the program needs no file
# beside it. An edited file is embedded anew by the next build.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/experiments/wang2025/*.toml ${PROJECT_SOURCE_DIR}/experiments/li2026/*.toml
     ${PROJECT_SOURCE_DIR}/experiments/kim2026/*.toml ${PROJECT_SOURCE_DIR}/experiments/formula/*.toml
     ${PROJECT_SOURCE_DIR}/experiments/rarefact2026/*.toml ${PROJECT_SOURCE_DIR}/experiments/wang2026/*.toml
     ${PROJECT_SOURCE_DIR}/experiments/li2026b/*.toml ${PROJECT_SOURCE_DIR}/experiments/vasudeva2025/*.toml
     ${PROJECT_SOURCE_DIR}/experiments/paquette2026/*.toml)
list(SORT files)
set(RAREFACT_EXPERIMENT_ENTRIES "")
foreach(file IN LISTS files)
  file(READ ${file} text)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/experiments ${file})
  string(APPEND RAREFACT_EXPERIMENT_ENTRIES "      {\"${name}\", R\"TOML(${text})TOML\"},\n")
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/embedded_experiments.cpp.in ${PROJECT_BINARY_DIR}/generated/embedded_experiments.cpp @ONLY)
target_sources(rarefact_verify PRIVATE ${PROJECT_BINARY_DIR}/generated/embedded_experiments.cpp)
