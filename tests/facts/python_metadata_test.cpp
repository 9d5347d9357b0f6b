#include <catch2/catch.hpp>

#include "base/error.h"
#include "facts/python_metadata.h"
#include "facts/python_record.h"
#include "facts/python_requirement.h"

using namespace ocilint;
using Texts = std::vector<std::string>;

TEST_CASE("Python metadata: headers, then a description") {
  const auto read = PythonMetadata::parse(
      "Metadata-Version: 2.4\r\nName: torch\r\nVersion: 2.9.0+rocm7.0\r\nSummary: Tensors\r\n        and more\r\n"
      "requires-dist: filelock\r\nRequires-Dist: rocm[libraries]==7.0; platform_system == \"Linux\"\r\n"
      "Provides-Extra: opt-einsum\r\nLicense-File: LICENSE\r\n\r\nRequires-Dist: not-this\r\nName: other\r\n");
  CHECK(read.name == "torch");
  CHECK(read.version == "2.9.0+rocm7.0");
  CHECK(read.requirements == Texts{"filelock", "rocm[libraries]==7.0; platform_system == \"Linux\""});
  CHECK(read.extras == Texts{"opt-einsum"});
  CHECK(read.fields[3].line() == "Summary: Tensors and more");
}

TEST_CASE("Python metadata: what is none") {
  for (const char* text : {"", "\n", "Name: a\n", "Version: 1\n", "Name: a\nName: b\nVersion: 1\n",
                           "no header\nName: a\nVersion: 1\n", "\n\nName: a\nVersion: 1\n"}) {
    INFO(text);
    CHECK_THROWS_AS(PythonMetadata::parse(text), Error);
  }
  CHECK_THROWS_AS(PythonMetadata::parse(std::string_view("Name: a\0b\nVersion: 1\n", 21)), Error);
  CHECK_THROWS_AS(PythonMetadata::parse(std::string(9u << 20, 'a')), Error);
  std::string many = "Name: a\nVersion: 1\n";
  for (int i = 0; i < 30'000; ++i) many += "A: b\n";
  CHECK_THROWS_AS(PythonMetadata::parse(many), Error);
}

TEST_CASE("requires.txt of an egg") {
  const auto read = parse_egg_requires(
      "six>=1.9\n\n[:python_version < \"3\"]\nenum34\n\n[dev]\npytest\n\n[test:os_name == 'nt' or os_name == 'x']\n"
      "colorama @ https://x.invalid/y.zip\n");
  CHECK(read == Texts{"six>=1.9", "enum34 ; python_version < \"3\"", "pytest ; extra == 'dev'",
                      "colorama @ https://x.invalid/y.zip ; (os_name == 'nt' or os_name == 'x') and extra == 'test'"});
  for (const std::string& text : read) CHECK_NOTHROW(PythonRequirement::parse(text));
  CHECK_THROWS_AS(parse_egg_requires("[dev\npytest\n"), Error);
}

TEST_CASE("RECORD: rows") {
  const std::string digest = "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU";  // of nothing
  const auto read =
      PythonRecord::parse("a/__init__.py,sha256=" + digest + ",0\r\n" + "\"a/b,\"\"c\"\".py\",sha256=" + digest +
                          ",12\n" + "a/__pycache__/x.pyc,,\n../../../bin/a,md5=abcd,3\n\na-1.dist-info/RECORD,,\n");
  REQUIRE(read.rows.size() == 5);
  CHECK(read.rows[0].path == "a/__init__.py");
  CHECK(read.rows[0].digest == Digest::sha256_of(""));
  CHECK(read.rows[0].size == 0u);
  CHECK(read.rows[1].path == "a/b,\"c\".py");
  CHECK_FALSE(read.rows[2].digest);
  CHECK_FALSE(read.rows[2].size);
  CHECK(read.rows[3].algorithm == "md5");
  CHECK(read.rows[4].line == 6);
  CHECK(read.refused == 0);
}

TEST_CASE("RECORD: rows that cannot be used are counted, the others stay") {
  const auto read = PythonRecord::parse("a,sha256=short,1\nb,,\nc,nothing,1\nd,,-1\n,,\ne,,1,2\nf,,12x\n\"g,,\nh,,\n");
  CHECK(read.rows.size() == 1);
  CHECK(read.refused == 7);
  CHECK(read.notes.front().starts_with("line 1: a digest"));
  CHECK(read.notes.back().starts_with("line 8: a quote without end"));
  CHECK_THROWS_AS(PythonRecord::parse(std::string_view("a\0,,\n", 5)), Error);
  CHECK(PythonRecord::parse("").rows.empty());
}
