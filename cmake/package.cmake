# A Debian package of the command line (`make deb`): program, manual pages, completions, licences. The library is linked
# into the program; who builds upon it installs from source.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kedge)
set(CPACK_PACKAGE_CONTACT "The kedge authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "prediction beyond the data by bilinear transduction")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"kedge fits a table of numbers and answers for rows outside the range it has
seen: from a training row that it knows and a difference of a kind that it has
seen. Each answer names the rows that justify it and says how far it can be
relied upon.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME kedge)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_STRIP_FILES ON)
# Manual pages and the log of changes are compressed in a package and nowhere else.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/compress_texts.cmake)

install(FILES cmake/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kedge COMPONENT program)
install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/kedge RENAME changelog COMPONENT program)
include(CPack)
