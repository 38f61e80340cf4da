
#include <catch2/catch.hpp>
#include <numeric>
#include <random>

#include "io/hdf5.hpp"

using namespace rarefact;

TEST_CASE("HDF5 reads the chunks that are encoded outside of it") {
  struct Case {
    std::vector<hsize_t> extents, chunk;
  };
  // Whole; the first, a middle and the last dimension cut, with and without a shorter last piece; lengths that
  // are no multiple of eight.
  for (const auto& [extents, chunk] :
       {Case{{7}, {7}}, Case{{100}, {33}}, Case{{10, 3}, {4, 3}}, Case{{8, 3, 5}, {2, 3, 5}},
        Case{{3, 10, 5}, {1, 4, 5}}, Case{{2, 3, 11}, {1, 1, 4}}, Case{{2, 4, 12}, {1, 1, 4}}}) {
    const ChunkOrder order{extents, chunk};
    const Hdf5Session session("chunks");
    const Hdf5Image image(session);
    const auto dataset =
        create_dataset(session, image.file(), "x", cell_type(session, CellKind::real), extents, chunk);
    std::vector<double> entries(
        std::accumulate(extents.begin(), extents.end(), std::size_t{1}, std::multiplies<>()));
    std::mt19937_64 random(extents.size());
    for (double& x : entries) x = random() % 3 == 0 ? 0 : std::ldexp(double(random()), -70);
    std::size_t chunks = 0;
    for (std::size_t begin = 0; begin < entries.size(); ++chunks) {
      const std::size_t count = order.length(begin);
      const auto bytes =
          encode_chunk(std::as_bytes(std::span(entries).subspan(begin, count)), order.capacity());
      session.check(
          H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, order.position(begin).data(), bytes.size(), bytes.data()),
          "write");
      begin += count;
    }
    std::size_t expected = 1;
    for (std::size_t i = 0; i < extents.size(); ++i) expected *= (extents[i] + chunk[i] - 1) / chunk[i];
    CHECK(chunks == expected);
    CHECK(read_values<double>(session, image.file(), dataset, "x") == entries);
  }
}
