// SPDX-License-Identifier: BSL-1.0
#include "data_files.hpp"

#include "parmac/data/csv.hpp"

using parmac::DataError;
using parmac::read_csv;
using parmac::with_labels;
using namespace parmac::tests;

TEST_CASE("A table of numbers is read, a row a column") {
  TemporaryFolder folder;
  for (const char* end : {"", "\n", "\r\n", "\n\n"}) {
    write_bytes(folder / "t.csv", std::string("a,b,label\n1,-2.5,0\n3e2, 4 ,7") + end);
    const parmac::Table table = read_csv(folder / "t.csv");
    CHECK(table.names == std::vector<std::string>{"a", "b", "label"});
    Eigen::MatrixXf X(3, 2);
    X << 1, 300, -2.5F, 4, 0, 7;
    CHECK(table.X == X);
    const parmac::LabelledTable labelled = with_labels(table);
    CHECK(labelled.X == X.topRows(2));
    CHECK(labelled.labels == std::vector<std::uint8_t>{0, 7});
    CHECK(labelled.names == std::vector<std::string>{"a", "b"});
  }
  write_bytes(folder / "t.csv", "x\r\n1\r\n2\r\n");
  CHECK(read_csv(folder / "t.csv").X == Eigen::RowVector2f(1, 2));
}

TEST_CASE("What is no table is refused with line and column") {
  TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    write_bytes(folder / "t.csv", bytes);
    return message_of<DataError>([&] { return read_csv(folder / "t.csv"); });
  };
  CHECK(says(message("a,b\n1,2\n3\n"), {"t.csv, line 3 has 1 columns", "names 2"}));
  CHECK(says(message("a,b\n1,2,3\n"), {"line 2 has 3 columns"}));
  CHECK(says(message("a,b\n1,x\n"), {"line 2, column 2 (b)", "'x' is no finite number"}));
  CHECK(says(message("a,b\n1,\n"), {"line 2, column 2 (b)", "''"}));
  CHECK(says(message("a,b\n1,2 3\n"), {"'2 3'"}));
  CHECK(says(message("a,b\nnan,2\n"), {"column 1 (a)", "'nan'"}));
  CHECK(says(message("a,b\n1,inf\n"), {"'inf'"}));
  CHECK(says(message("a,b\n1,1e99\n"), {"'1e99'"}));
  CHECK(says(message("a,b\n\n1,2\n"), {"line 2 has 1 columns"}));
  CHECK(says(message("a,b\n"), {"has 1 lines", "at least one row"}));
  CHECK(says(message(""), {"has 0 lines"}));
  CHECK(says(message_of<DataError>([&] { return read_csv(folder / "absent.csv"); }), {"absent"}));
}

TEST_CASE("Labels that are no classes are refused by row") {
  TemporaryFolder folder;
  const auto message = [&](const std::string& bytes) {
    write_bytes(folder / "t.csv", bytes);
    return message_of<DataError>([&] { return with_labels(read_csv(folder / "t.csv")); });
  };
  CHECK(says(message("a,label\n1,0\n1,0.5\n"), {"row 2, column label", "0.5 is no class"}));
  CHECK(says(message("a,label\n1,-1\n"), {"row 1", "-1 is no class"}));
  CHECK(says(message("a,label\n1,256\n"), {"256 is no class"}));
  CHECK(says(message("label\n1\n"), {"at least 2 columns"}));
}
