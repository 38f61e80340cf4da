#include "io/array_file.hpp"

#include <catch2/catch.hpp>
#include <limits>

#include "io/hdf5.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

using Catch::Contains;

namespace {

/// The bytes of a .npy file as NumPy lays it out: version, header text padded to 64, data.
std::string npy(const std::string& header, const std::vector<double>& data, int version = 1) {
  const std::size_t prefix = version == 1 ? 10 : 12;
  std::string text = header;
  while ((prefix + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (std::size_t i = 0; i < prefix - 8; ++i) bytes += static_cast<char>(text.size() >> (8 * i) & 0xff);
  bytes += text;
  bytes.append(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(double));
  return bytes;
}

std::string header(const std::string& type, const std::string& fortran, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

const std::vector<double> six = {1, 2, 3, 4, 5, 6};

/// An HDF5 file with the dataset /group/array of one type, in `extents`, its entries 1, 2, 3 ...
template <class T>
void spill_hdf5(const std::filesystem::path& path, hid_t type, const std::vector<hsize_t>& extents) {
  const Hdf5Session session("array in memory");
  Hdf5Image image(session);
  std::size_t cells = 1;
  for (const hsize_t extent : extents) cells *= extent;
  std::vector<T> values;
  for (std::size_t i = 1; i <= cells; ++i) values.push_back(static_cast<T>(i));
  {
    const auto group = session.own(H5Gcreate2(image.file(), "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                                   H5Gclose, "make");
    const auto space = session.own(
        H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, "make");
    const auto array = session.own(
        H5Dcreate2(group, "array", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose, "make");
    session.check(H5Dwrite(array, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "make");
  }
  const auto bytes = image.close();
  const auto all = bytes.bytes();
  spill(path, {reinterpret_cast<const char*>(all.data()), all.size()});
}

/// The message read_counts refuses a table with.
std::string refusal(const std::filesystem::path& path, const std::string& text, const std::string& column) {
  spill(path, text);
  try {
    read_counts(path, column);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("an npy array has the same entries from C and Fortran order and from every version") {
  const ScratchFolder folder;
  Matrix expected(2, 3);
  expected << 1, 2, 3, 4, 5, 6;
  for (const int version : {1, 2, 3}) {
    spill(folder / "c.npy", npy(header("<f8", "False", "(2, 3)"), six, version));
    REQUIRE(read_npy(folder / "c.npy") == expected);
  }
  spill(folder / "f.npy", npy(header("<f8", "True", "(2, 3)"), {1, 4, 2, 5, 3, 6}));
  REQUIRE(read_npy(folder / "f.npy") == expected);
  spill(folder / "order.npy", npy("{'shape':(2,3,),'descr':'<f8','fortran_order':False}", six));
  REQUIRE(read_npy(folder / "order.npy") == expected);
}

TEST_CASE("an npy array of float32 has those numbers exactly") {
  const ScratchFolder folder;
  const std::vector<float> entries = {0.1F, -2, 3e-38F, 1e-45F, 5, 1.5e38F};
  const auto as_bytes = [&](const std::string& order) {
    const std::string head = npy(header("<f4", order, "(2, 3)"), {});
    return head + std::string(reinterpret_cast<const char*>(entries.data()), 24);
  };
  for (const std::string order : {"False", "True"}) {
    spill(folder / "f.npy", as_bytes(order));
    const Matrix read = read_npy(folder / "f.npy");
    for (Index i = 0; i < 6; ++i) {
      const double entry = order == "True" ? read(i % 2, i / 2) : read(i / 3, i % 3);
      CHECK(entry == static_cast<double>(entries[i]));
    }
  }
}

TEST_CASE(
    "an npy file that is not a finite float64 matrix of the promised size is refused with file and reason") {
  const ScratchFolder folder;
  const auto path = folder / "a.npy";
  const std::string good = npy(header("<f8", "False", "(2, 3)"), six);
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not a .npy file"},
      {"PK\x03\x04 an npz", "not a .npy file but an archive; save one array with numpy.save"},
      {good.substr(0, 9), "truncated in its header"},
      {good.substr(0, 40), "truncated in its header"},
      {good.substr(0, good.size() - 1), "promises 2 x 3 numbers, but 47 bytes"},
      {good + "x", "49 bytes of data follow"},
      {npy(header("<f4", "False", "(2, 3)"), six), "promises 2 x 3 numbers, but 48 bytes"},
      {npy(header("<f2", "False", "(2, 3)"), six), "type '<f2'"},
      {npy(header(">f8", "False", "(2, 3)"), six), "type '>f8'"},
      {npy(header("|O", "False", "(2, 3)"), six), "type '|O', not little-endian float64 ('<f8') or float32"},
      {npy(header("<f8", "False", "(6,)"), six), "two dimensions: {'descr'"},
      {npy(header("<f8", "False", "(1, 2, 3)"), six), "two dimensions"},
      {npy(header("<f8", "False", "(2, -3)"), six), "two dimensions"},
      {npy(header("<f8", "Maybe", "(2, 3)"), six), "two dimensions"},
      {npy(header("<f8", "False", "(2, 3)") + "}", six), "two dimensions"},
      {npy(header("<f8", "False", "(0, 3)"), {}), "without entries"},
      // 2^61 x 8 numbers of 8 bytes are 2^67 bytes, 8 modulo 2^64.
      {npy(header("<f8", "False", "(2305843009213693953, 8)"), {1, 2, 3, 4, 5, 6, 7, 8}), "promises"},
      {npy(header("<f8", "False", "(1000000, 1000000)"), six), "promises"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\x7f", 12), "its header claims 2147483647 bytes"},
      {std::string("\x93NUMPY\x09\x00", 8), "unknown .npy version 9"},
      {npy(header("<f8", "False", "(1, 2)"), {1, std::nan("")}),
       "row 0, column 1 (counted from 0) is nan; expected finite numbers"},
  };
  for (const auto& [bytes, reason] : cases) {
    spill(path, bytes);
    INFO(reason);
    REQUIRE_THROWS_AS(read_npy(path), InputError);
    REQUIRE_THROWS_WITH(read_npy(path), Contains(path.string()) && Contains(reason));
  }
  REQUIRE_THROWS_WITH(read_npy(folder / "none.npy"), Contains("none.npy: error: no such file"));
}

TEST_CASE("an HDF5 dataset of real numbers becomes a matrix as h5py shows it") {
  const ScratchFolder folder;
  Matrix expected(2, 3);
  expected << 1, 2, 3, 4, 5, 6;
  const std::string location = (folder / "a.h5").string() + ":/group/array";
  spill_hdf5<double>(folder / "a.h5", H5T_NATIVE_DOUBLE, {2, 3});
  REQUIRE(read_hdf5_array(location) == expected);
  spill_hdf5<float>(folder / "a.h5", H5T_NATIVE_FLOAT, {2, 3});
  REQUIRE(read_hdf5_array(location) == expected);
  spill_hdf5<std::int32_t>(folder / "a.h5", H5T_NATIVE_INT32, {2, 3});
  REQUIRE(read_hdf5_array(location) == expected);
}

TEST_CASE("an HDF5 location that is no matrix of real numbers is refused with file and reason") {
  const ScratchFolder folder;
  const std::string file = (folder / "a.h5").string();
  const auto refused = [&](const std::string& location, const std::string& reason) {
    INFO(location);
    REQUIRE_THROWS_AS(read_hdf5_array(location), InputError);
    REQUIRE_THROWS_WITH(read_hdf5_array(location), Contains(file) && Contains(reason));
  };
  refused(file + ":/group/array", "no such file");
  spill_hdf5<double>(file, H5T_NATIVE_DOUBLE, {2, 3});
  refused(file, "name the dataset too");
  refused(file + ":/", "'/'");
  refused(file + ":/group", "'/group'");
  refused(file + ":/group/other", "'/group/other'");
  spill_hdf5<double>(file, H5T_NATIVE_DOUBLE, {6});
  refused(file + ":/group/array", "two dimensions");
  spill_hdf5<long double>(file, H5T_NATIVE_LDOUBLE, {2, 3});
  refused(file + ":/group/array", "64 bits");
  const std::string whole = slurp(file);
  spill(file, whole.substr(0, whole.size() / 2));
  refused(file + ":/group/array", "cannot open it as an HDF5 file");
  std::string flipped = whole;
  flipped[flipped.size() / 2] ^= 1;
  spill(file, flipped);
  refused(file + ":/group/array", "its bytes are not those its checksum was written for");
  spill(file, "text");
  refused(file + ":/group/array", "cannot open it as an HDF5 file");
}

TEST_CASE("counts are read from tabs, commas and white space, by name and by number") {
  const ScratchFolder folder;
  const auto path = folder / "t";
  const std::vector<double> expected = {7, 2.5, 1};
  const auto reads = [&](const std::string& text, const std::string& column) {
    INFO(text);
    spill(path, text);
    REQUIRE(read_counts(path, column).count == expected);
  };
  reads("word\tcount\nthe\t7\nof us\t2.5\nx\t1\n", "count");
  reads("# made by hand\n\nword,count\r\nthe,7\r\n\"a, \"\"b\"\"\", 2.5 \r\n,1", "count");
  reads("  word  count\n  the  7\n of 2.5\n  # in between\n x 1e0\n", "count");
  reads(
      "\xef\xbb\xbf"
      "count\n7\n2.5\n1\n",
      "count");
  reads("word\tcount\nthe\t7\nof\t2.5\nx\t1\n", "2");
  reads("the\t7\nof\t2.5\nx\t1\n", "2");
  reads("7\n2.5\n1", "1");
  reads("7\n2.5\n1", "count");
}

TEST_CASE("a column of names or words has those of the classes") {
  const ScratchFolder folder;
  const auto path = folder / "t";
  using Labels = std::vector<std::string>;
  for (const auto& [text, labels] :
       {std::pair{"label,n,class\n1,7,a\n2,5,\x1b[1m\n3,2,\n", Labels{"a", "\\u001b[1m", ""}},
        {"n label\n7 a\n", Labels{"a"}},
        {"n word\n7 a\n2 9\n", Labels{"a", "9"}},
        {"n m\n7 3\n2 b\n", Labels{}}}) {
    spill(path, text);
    CHECK(read_counts(path, "n").label == labels);
  }
  spill(path, "the\t7\nof\t2\n");
  CHECK(read_counts(path, "2").label == Labels{"the", "of"});
}

TEST_CASE("a table with bad counts is refused with every line and column that is wrong") {
  const ScratchFolder folder;
  const auto path = folder / "t.csv";
  const std::string name = path.string();
  const std::string many =
      refusal(path, "word,count\na,7\nb,zero\nc,0\nd,-1\ne\nf,nan\ng,1e999\nh,7x\n", "count");
  for (const char* part :
       {":3:3: error: a count must be a number > 0, not 'zero'",
        ":4:3: error: a count must be a number > 0, not '0'; rows of count 0 are not learned",
        ":5:3: ", ":6:1: error: 1 columns, but the first line has 2", ":7:3: ", ":8:3: ", ":9:3: "}) {
    REQUIRE_THAT(many, Contains(name + part));
  }
  REQUIRE_THAT(many, !Contains(name + ":2:"));
  REQUIRE_THAT(refusal(path, "word,count\na,7\n", "coutn"),
               Contains(name + ":1:1: ") && Contains("did you mean 'count'"));
  REQUIRE_THAT(refusal(path, "count;word\n7;a\n", "count"),
               Contains("tabs, commas or blanks separate columns"));
  REQUIRE_THAT(refusal(path, "word,count\na,7\n", "3"), Contains("no column '3'"));
  REQUIRE_THAT(refusal(path, "word,count\na,7\n", "0"), Contains("no column '0'"));
  REQUIRE_THAT(refusal(path, "word,count\n", "count"), Contains("without counts"));
  REQUIRE_THAT(refusal(path, "count,count\n1,2\n3,4\n", "count"),
               Contains(name + ":1:1: error: several columns 'count'"));
  REQUIRE_THAT(refusal(path, "count,class\n1,a\n3\n", "count"),
               Contains(name + ":3:1: error: 1 columns, but "));
  REQUIRE_THAT(refusal(path, "", "1"), Contains("without counts"));
  REQUIRE_THAT(refusal(path, std::string("count\n7\0\n", 9), "count"), Contains("zero byte"));
  std::string endless = "count\n";
  for (int i = 0; i < 1000; ++i) endless += "x\n";
  spill(path, endless);
  try {
    read_counts(path, "count");
    FAIL("accepted");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 20);
  }
  REQUIRE_THROWS_WITH(read_counts(folder / "none.csv", "1"), Contains("no such file"));
}

TEST_CASE("paths of an experiment start at its folder") {
  const ScratchFolder folder;
  spill(folder / "counts.txt", "3\n1\n");
  spill(folder / "a.npy", npy(header("<f8", "False", "(2, 3)"), six));
  spill_hdf5<double>(folder / "a.h5", H5T_NATIVE_DOUBLE, {2, 3});
  const FileReaders readers = file_readers(folder / "");
  REQUIRE(readers.counts("counts.txt", "1").count == std::vector<double>{3, 1});
  REQUIRE(readers.arrays("a.npy") == readers.arrays("a.h5:/group/array"));
  REQUIRE(readers.arrays((folder / "a.npy").string()).cols() == 3);
  REQUIRE_THROWS_WITH(readers.arrays("a.h5"), Contains("name the dataset too"));
}

TEST_CASE("the shape of an array is known where all of it can be read, and what was found is remembered") {
  const ScratchFolder folder;
  spill(folder / "a.npy", npy(header("<f8", "False", "(2, 3)"), six));
  spill_hdf5<double>(folder / "a.h5", H5T_NATIVE_DOUBLE, {2, 3});
  spill(folder / "short.npy", npy(header("<f8", "False", "(2, 4)"), six));
  spill(folder / "text.npy", npy(header("|O", "False", "(2, 3)"), six));
  auto holed = six;
  holed.back() = std::numeric_limits<double>::infinity();
  spill(folder / "holed.npy", npy(header("<f8", "False", "(2, 3)"), holed));
  spill(folder / "counts.txt", "3\n1\n");
  const FileReaders readers = file_readers(folder / "");
  for (const std::string path : {"a.npy", "a.h5:/group/array"}) {
    REQUIRE(readers.shape_of_array(path).rows == 2);
    REQUIRE(readers.shape_of_array(path).columns == 3);
  }
  for (const char* order : {"True", "False"}) {
    auto zero = six;
    zero[order == std::string("True") ? 2 : 1] = zero[order == std::string("True") ? 3 : 4] = 0;
    spill(folder / (order + std::string(".npy")), npy(header("<f8", order, "(2, 3)"), zero));
    REQUIRE(readers.shape_of_array(order + std::string(".npy")).zero_column == 1);
  }
  REQUIRE(readers.shape_of_array("a.npy").zero_column == -1);
  REQUIRE_THROWS_WITH(readers.shape_of_array("short.npy"), Contains("promises 2 x 4 numbers"));
  REQUIRE_THROWS_WITH(readers.shape_of_array("text.npy"), Contains("its entries are of type '|O'"));
  REQUIRE_THROWS_WITH(readers.shape_of_array("holed.npy"),
                      Contains("row 1, column 2 (counted from 0) is inf"));
  REQUIRE_THROWS_WITH(readers.shape_of_array("none.npy"), Contains("no such file"));
  REQUIRE(readers.counts("counts.txt", "1").count.size() == 2);
  const FileReaders copy = readers;
  for (const char* name : {"a.npy", "counts.txt"}) std::filesystem::remove(folder / name);
  REQUIRE(copy.shape_of_array("a.npy").columns == 3);
  REQUIRE(copy.counts("counts.txt", "1").count.size() == 2);
}
