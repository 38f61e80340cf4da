# Read by cpack after installing the files of both packages and before packing them, to follow Debian's
# policy.
set(everybody OWNER_READ GROUP_READ WORLD_READ)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component}/usr)
  set(doc ${root}/share/doc/${name})

  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE ${doc}/changelog "rarefact (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Version ${CPACK_PACKAGE_VERSION}: see CHANGELOG.md of the package rarefact

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  file(READ ${CPACK_RAREFACT_SOURCE}/LICENSE license)
  string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)\n\n(.*)\n$" license "${license}")
  set(holder ${CMAKE_MATCH_1})
  string(REPLACE "\n\n" "\n.\n" license "${CMAKE_MATCH_2}")
  string(REPLACE "\n" "\n " license "${license}")
  file(READ ${CPACK_RAREFACT_SOURCE}/data/wordnet_license.txt notice)
  string(STRIP "${notice}" notice)
  string(REPLACE "\n\n" "\n.\n" notice "${notice}")
  string(REPLACE "\n" "\n " notice "${notice}")
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Rarefact

Files: *
Copyright: ${holder}
License: Expat

Files: share/rarefact/data/wordnet_*
Copyright: 2006 by Princeton University
License: WordNet3.0

License: Expat
 ${license}

License: WordNet3.0
 ${notice}
")
  file(REMOVE ${doc}/LICENSE)

  file(GLOB compressed ${doc}/changelog ${doc}/CHANGELOG.md ${root}/share/man/man1/*)
  execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)

  # Independent of the umask; files that begin with #! are executable.
  file(CHMOD_RECURSE ${root} FILE_PERMISSIONS ${everybody} OWNER_WRITE
       DIRECTORY_PERMISSIONS ${everybody} OWNER_WRITE OWNER_EXECUTE GROUP_EXECUTE WORLD_EXECUTE)
  file(GLOB programs ${root}/bin/* ${root}/share/rarefact/experiments/cluster/*.sbatch)
  if(programs)
    file(CHMOD ${programs} PERMISSIONS ${everybody} OWNER_WRITE OWNER_EXECUTE GROUP_EXECUTE WORLD_EXECUTE)
  endif()
endforeach()
