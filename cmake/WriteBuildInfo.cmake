# Run at build time: puts the commit into the header. A tree that is not the top of a git work tree (an
# unpacked archive, perhaps inside another work tree) has no commit: "unknown".
set(RAREFACT_GIT_COMMIT "unknown")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel
                  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  file(REAL_PATH ${SOURCE} source)
  if(NOT failed AND top STREQUAL source)
    execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --verify HEAD
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(RAREFACT_GIT_COMMIT ${commit})
      execute_process(COMMAND ${GIT} -C ${SOURCE} status --porcelain --untracked-files=no
                      OUTPUT_VARIABLE changes OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(changes)
        string(APPEND RAREFACT_GIT_COMMIT "-dirty")
      endif()
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${HEADER} @ONLY)
