# Generates sources with the texts of files, so that the program needs no further files: the experiments that
# rarefact verify runs, and words of the command line. Edited files are embedded by the next build.
function(rarefact_embed layer folder pattern variable template)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${pattern})
  list(SORT files)
  set(${variable} "")
  foreach(file IN LISTS files)
    file(READ ${file} text)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR}/${folder} ${file})
    string(APPEND ${variable} "      {\"${name}\", R\"TEXT(${text})TEXT\"},\n")
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  endforeach()
  set(source ${PROJECT_BINARY_DIR}/generated/${template}.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${template}.cpp.in ${source} @ONLY)
  target_sources(rarefact_${layer} PRIVATE ${source})
endfunction()

rarefact_embed(verify experiments/theorems */*.toml RAREFACT_EXPERIMENT_ENTRIES embedded_experiments)
rarefact_embed(cli src/cli/words * RAREFACT_WORD_ENTRIES embedded_words)
