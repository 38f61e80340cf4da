# HDF5's dimension scales (H5DS) are in its high-level library, which Debian's pkg-config file does not name.
find_library(HDF5_HIGH_LEVEL_LIBRARY hdf5_hl HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)
target_link_libraries(rarefact_io PUBLIC ${HDF5_HIGH_LEVEL_LIBRARY} PkgConfig::HDF5)
