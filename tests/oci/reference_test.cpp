#include "oci/reference.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace ocilint;

namespace {
std::string refusal(std::string_view text) {
  try {
    (void)Reference::parse(text);
  } catch (const Error& e) {
    CHECK(e.kind() == ErrorKind::usage);
    return e.what();
  }
  return {};
}
}  // namespace

TEST_CASE("reference: transports and their details") {
  const Reference oci = Reference::parse("oci:some/dir:v1");
  CHECK(oci.transport == Transport::oci);
  CHECK(oci.path == "some/dir");
  CHECK(oci.name == "v1");
  const Reference full = Reference::parse("docker-archive:a.tar:localhost:5000/x/y:1.2");
  CHECK(full.transport == Transport::docker_archive);
  CHECK(full.path == "a.tar");
  CHECK(full.name == "localhost:5000/x/y:1.2");
  const Reference at = Reference::parse("oci-archive:a.tar:@3");
  CHECK(at.index == 3U);
  CHECK(at.name.empty());
  CHECK(Reference::parse("dir:a:b").path == "a:b");
  CHECK(Reference::parse("-").transport == Transport::standard_input);
  CHECK(Reference::parse("docker-archive:-").path == "-");
  CHECK(Reference::parse("image.tar").transport == Transport::bare);
  CHECK(Reference::parse("docker://debian:12").transport == Transport::registry);
  CHECK(Reference::parse("docker-daemon:debian:12").path == "debian:12");
}

TEST_CASE("reference: text() is what parse() takes") {
  for (const char* text : {"oci:d", "oci:d:v1", "oci:d:@0", "oci-archive:a.tar:x/y:z", "docker-archive:-", "dir:a:b",
                           "-", "image.tar", "docker://debian:12", "docker-daemon:x"})
    CHECK(Reference::parse(text).text() == text);
}

TEST_CASE("reference: spellings of other tools are answered with ours") {
  CHECK(refusal("docker-archive://a.tar").find("'docker-archive:a.tar'") != std::string::npos);
  CHECK(refusal("oci-dir:d").find("'oci:d'") != std::string::npos);
  CHECK(refusal("containers-storage:x").find("skopeo copy containers-storage:x oci:DIR") != std::string::npos);
}

TEST_CASE("reference: what names nothing is refused") {
  for (const char* text : {"", "oci:", "oci::v1", "oci:d:", "oci:d:@", "oci:d:@x", "oci:d:@1x", "oci:d:@-1",
                           "oci:d:@99999999999999999999999", "docker://", "dir:"})
    CHECK_FALSE(refusal(text).empty());
}
