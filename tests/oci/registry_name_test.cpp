#include "oci/registry_name.h"

#include <catch2/catch.hpp>

#include "base/error.h"

using namespace ocilint;

TEST_CASE("names of images in registries") {
  const auto full = [](const char* text) { return RegistryName::parse(text).text(); };
  CHECK(full("debian") == "docker.io/library/debian:latest");
  CHECK(full("debian:12") == "docker.io/library/debian:12");
  CHECK(full("user/image") == "docker.io/user/image:latest");
  CHECK(full("index.docker.io/user/image") == "docker.io/user/image:latest");
  CHECK(full("localhost/image") == "localhost/image:latest");
  CHECK(full("localhost:5000/a/b_c/d__e/f--g.h:V1.2_x-y") == "localhost:5000/a/b_c/d__e/f--g.h:V1.2_x-y");
  CHECK(full("[::1]:5000/a:b") == "[::1]:5000/a:b");
  const std::string digest = "sha256:" + std::string(64, 'a');
  CHECK(full(("quay.io/a/b@" + digest).c_str()) == "quay.io/a/b@" + digest);
  CHECK(full(("quay.io/a/b:t@" + digest).c_str()) == "quay.io/a/b:t@" + digest);
  CHECK(RegistryName::parse("debian").address() == "registry-1.docker.io");
  CHECK(RegistryName::parse("quay.io:443/a").address() == "quay.io:443");
}

TEST_CASE("names that are none never become an address") {
  for (const char* bad : {"",
                          "/",
                          "a/",
                          "/a",
                          "Upper",
                          "a//b",
                          "a/../b",
                          "host.example/../b",
                          "a:",
                          "a:b:c",
                          "a:-tag",
                          "a b",
                          "a@",
                          "a@sha256:12",
                          "a?x=y",
                          "a#b",
                          "a%2fb",
                          "user:word@host.example/a",
                          "host.example:99999999/a",
                          "ho_st.example/a",
                          "-a.example/b",
                          "a.-b.example/c",
                          "a_",
                          "a___b",
                          "a..b",
                          "x\ny",
                          "[::1/a",
                          "https://quay.io/a"}) {
    INFO(bad);
    CHECK_THROWS_AS(RegistryName::parse(bad), Error);
  }
  CHECK_THROWS_AS(RegistryName::parse("a:" + std::string(129, 't')), Error);
  CHECK_THROWS_AS(RegistryName::parse(std::string(300, 'a')), Error);
}

TEST_CASE("a host is one only when nothing else can be meant") {
  for (const char* host : {"quay.io/a", "localhost/a", "a:5000/b", "10.0.0.1/a", "[::1]/a"})
    CHECK(RegistryName::has_host(host));
  for (const char* path : {"a/b", "./a", "../a", "/a.b/c", "a.b", "a", "~/x", "out/image.tar"})
    CHECK_FALSE(RegistryName::has_host(path));
}
