# The program with what belongs to it: figures, experiments, data, manual pages, completion of shells.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME program)
# Where the program looks for its figures first; so no path of the source tree is compiled in.
file(RELATIVE_PATH analysis ${PROJECT_BINARY_DIR} ${PROJECT_SOURCE_DIR}/analysis)
file(CREATE_LINK ${analysis} ${PROJECT_BINARY_DIR}/analysis SYMBOLIC)

install(TARGETS rarefact)
install(DIRECTORY analysis/ DESTINATION ${CMAKE_INSTALL_DATADIR}/rarefact/analysis FILES_MATCHING PATTERN "*.py")
install(DIRECTORY experiments data DESTINATION ${CMAKE_INSTALL_DATADIR}/rarefact PATTERN "README*" EXCLUDE)
install(FILES README.md LICENSE CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)

# The pages are the program's own: it writes them when it is installed, where it can be run.
if(NOT CMAKE_CROSSCOMPILING)
  set(write_pages [[
    function(write_page path)
      execute_process(COMMAND "@PROJECT_BINARY_DIR@/rarefact" ${ARGN} OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
      file(WRITE "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/@CMAKE_INSTALL_DATADIR@/${path}" "${text}")
    endfunction()
    execute_process(COMMAND "@PROJECT_BINARY_DIR@/rarefact" --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE ".*\ncommands:(\n.*)\noptions:.*" "\\1" help "${help}")
    string(REGEX MATCHALL "\n  [a-z]+" names "${help}")
    write_page(man/man1/rarefact.1 --manual)
    foreach(name ${names})
      string(STRIP "${name}" name)
      write_page(man/man1/rarefact-${name}.1 --manual ${name})
    endforeach()
    write_page(bash-completion/completions/rarefact --completion bash)
    write_page(zsh/vendor-completions/_rarefact --completion zsh)
  ]])
  string(CONFIGURE "${write_pages}" write_pages @ONLY)
  install(CODE "${write_pages}" COMPONENT program)
endif()
