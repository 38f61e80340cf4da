# Read by cpack when the files of both packages are installed and not yet packed: what Debian's policy asks of them.
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr/share)
  set(doc ${root}/doc/${name})

  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${doc}/changelog "rarefact (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: see /usr/share/doc/rarefact/CHANGELOG.md.gz

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(READ ${CPACK_RAREFACT_SOURCE}/LICENSE license)
  string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)\n\n(.*)\n$" license "${license}")
  set(holder ${CMAKE_MATCH_1})
  string(REPLACE "\n\n" "\n.\n" license "${CMAKE_MATCH_2}")
  string(REPLACE "\n" "\n " license "${license}")
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Rarefact

Files: *
Copyright: ${holder}
License: Expat

License: Expat
 ${license}
")
  file(REMOVE ${doc}/LICENSE)

  # What begins with #! can be called.
  file(GLOB scripts ${root}/rarefact/experiments/cluster/*.sbatch)
  if(scripts)
    file(CHMOD ${scripts} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()

  file(GLOB compressed ${doc}/changelog ${doc}/CHANGELOG.md ${root}/man/man1/*)
  if(compressed)
    execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(GLOB_RECURSE files ${root}/man/* ${doc}/changelog.gz ${doc}/copyright)
  file(CHMOD ${files} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
