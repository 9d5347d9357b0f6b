#include "facts/secret_samples.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string>

#include "base/digest.h"
#include "base/pattern.h"
#include "facts/credential_files.h"
#include "facts/doc_blocks.h"
#include "facts/secret_names.h"
#include "facts/secrets.h"

namespace ocilint {
namespace {

// Folders, as they are called in sources and in packages; in lower case.
constexpr std::string_view folders[] = {
    "__tests__",
    "demo",
    "demos",
    "doc",
    "docs",
    "documentation",
    "example",
    "examples",
    "fixture",
    "fixtures",
    "help",
    "man",
    "mock",
    "mocks",
    "sample",
    "samples",
    "spec",
    "specs",
    "test",
    "test-data",
    "testapp",
    "test_data",
    "testcases",
    "testdata",
    "testing",
    "tests",
    "testsuite",
    "vignettes",
    // Translated texts of programs.
    "lc_messages",
    "i18n",
    "locale",
    "locales",
    "translations",
};
// httptest, caddytest, integration-tests: packages of tests are called after what they test.
constexpr std::string_view folder_ends[] = {"test", "tests"};
constexpr std::string_view folder_starts[] = {"test-", "test_", "tests-", "tests_"};
constexpr std::string_view words_in_test[] = {"attest",   "contest", "detest", "fastest",
                                              "greatest", "latest",  "protest"};
constexpr std::string_view folder_parts[] = {"example", "fixture", "testdata"};

constexpr std::string_view name_ends[] = {".md",  ".rst",     ".adoc",    ".pod",    ".po",
                                          ".pot", "-example", ".example", ".sample", "_spec.rb"};
// Of sources, before the last dot. Capitals begin a word: HttpTest.java, and not Contest.java.
constexpr std::string_view test_ends[] = {"_test",  "_tests", "_unittest", "-test",
                                          "-tests", "Test",   "Tests",     "TestCase"};
constexpr std::string_view name_starts[] = {"README", "CHANGELOG", "ChangeLog", "CHANGES", "NEWS", "test_", "test."};
constexpr std::string_view name_parts[] = {".test.", ".spec.", ".example.", ".examples."};
constexpr std::string_view names[] = {"METADATA", "PKG-INFO"};  // of Python packages: their README

// The first eight bytes of the SHA-256 of values: self-test keys in libgnutls, test servers' keys in urllib3 and moto,
// client keys in the Google Cloud SDK, a test key of Go's x509, the servers' keys of Mojolicious and Fossil, MinIO's
// public playground, samples in the documentation of botocore, PyJWT and dotenv.
constexpr std::uint64_t published_values[] = {
    0x3915103a44adc1c1ULL, 0x3d6c62b07073d580ULL, 0x452160bc752e7da5ULL, 0x51fb552dfad78676ULL, 0x54fa7a596186d407ULL,
    0x575e9dd9058a3ad1ULL, 0x577cfe66bf6c95ddULL, 0x5e7ce3794b14169bULL, 0x6189b36d964849f3ULL, 0x6d7557f82aacdd14ULL,
    0x73c0bab8fa48e37aULL, 0x94c14f6032a693e4ULL, 0xa73b3ad3b416d981ULL, 0xab02a0791d559a42ULL, 0xadd6c570b029092bULL,
    0xb3f19cc85129501bULL, 0xbf145d9380bbe05bULL, 0xc81241b4ad88ecceULL, 0xd2270e152abea353ULL, 0xdbeb2c69916d0b47ULL,
    0xdf452eef23e8cf2cULL, 0xf5d828e18faa1e37ULL, 0xff567be194986a0aULL,
};
static_assert(std::ranges::is_sorted(published_values));

// How a line of a comment begins and what blocks of documentation there are, by the ends of names of sources. In
// scripts of a shell and in configuration a comment is a value that was in use, or will be.
struct Comments {
  std::string_view endings;  // a dot before and behind each
  std::string_view begin[4];
  unsigned blocks;  // kinds of DocBlock
};
constexpr Comments comments[] = {
    {".py.pyi.rb.pl.pm.r.ex.exs.cr.", {"#", ">>", "..", "#"}, DocBlock::pod | DocBlock::string},
    {".js.mjs.cjs.jsx.ts.mts.cts.tsx.vue.go.java.kt.kts.scala.groovy.c.h.cc.hh.cpp.hpp.cxx.m.mm.cs.rs.swift.dart.proto.",
     {"//", "* ", "/*", "*\t"},
     DocBlock::comment},
    {".php.", {"//", "* ", "/*", "#"}, DocBlock::comment},
    {".el.lisp.clj.cljs.scm.rkt.", {";", ";", ";", ";"}, 0},
    {".lua.hs.sql.adb.ads.elm.", {"--", "--", "--", "--"}, 0},
    {".erl.hrl.tex.", {"%", "%", "%", "%"}, 0},
};

constexpr std::size_t generated = 8;  // letters: what is shorter is no password that a service lets through
constexpr std::string_view near_networks[] = {"127.", "10.", "192.168.", "172.16.", "0."};

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_sample_folder(std::string_view given) {
  const std::string folder = lowered(given);
  const auto ends = [&](std::string_view ending) { return folder.ends_with(ending); };
  const auto holds = [&](std::string_view part) { return folder.find(part) != std::string::npos; };
  if (std::ranges::find(folders, folder) != std::end(folders) || std::ranges::any_of(folder_parts, holds)) return true;
  const auto starts = [&](std::string_view start) { return folder.starts_with(start); };
  if (std::ranges::any_of(folder_starts, starts)) return true;
  return std::ranges::any_of(folder_ends, ends) && std::ranges::none_of(words_in_test, ends);
}

/// Of the source of a program; null: it is none.
const Comments* language_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string_view::npos || path.find('/', dot) != std::string_view::npos) return nullptr;
  const std::string ending = lowered(path.substr(dot)) + ".";
  const auto written = [&](const Comments& language) {
    return language.endings.find(ending) != std::string_view::npos;
  };
  const Comments* const found = std::ranges::find_if(comments, written);
  return found == std::end(comments) ? nullptr : found;
}

bool is_test_source(std::string_view name) {
  if (language_of(name) == nullptr) return false;
  const std::string_view stem = name.substr(0, name.rfind('.'));
  return std::ranges::any_of(test_ends, [&](std::string_view ending) { return stem.ends_with(ending); });
}

/// `line`: what is shown of it before the value. Where its beginning is cut off, nothing begins a comment.
bool stands_in_comment(const Comments& language, std::string_view line) {
  const std::string_view opening = line.substr(std::min(line.size(), line.find_first_not_of(" \t")));
  return std::ranges::any_of(language.begin, [&](std::string_view begin) { return opening.starts_with(begin); });
}

/// scott:tiger@localhost: a short word for a host of nobody's, where documentation strings and tests of a program show
/// how an address is written. `behind`: what follows the password.
bool is_made_up(std::string_view password, std::string_view behind) {
  const auto letter = [](unsigned char c) { return std::isalpha(c) != 0; };
  if (password.size() >= generated || !std::ranges::all_of(password, letter) || !behind.starts_with('@')) return false;
  const std::string_view host = behind.substr(1, behind.find_first_of(":/?\"' ", 1) - 1);
  const auto starts = [&](std::string_view network) { return host.starts_with(network); };
  return host.find('.') == std::string_view::npos || std::ranges::any_of(near_networks, starts);
}

/// Do the words right before a value say that it is an example?
bool introduces_example(std::string_view before) {
  static const Pattern words = Pattern::compile(
      "(?i)\\be\\.g\\b|@example\\b|\\bfor (?:example|instance)\\b|>>> |"
      "\\b(?:examples?|samples?|placeholder)[\"' ]{0,2}[0-9]{0,3}[\"' ]{0,2}[:=(]");
  return words.found_in(before);
}

/// Does a mask stand where a signed address says who signed it?
bool is_masked_address(std::string_view address) {
  for (const std::string_view who : {"Credential=", "AccessKeyId=", "AccessId=", "Key-Pair-Id="}) {
    const std::size_t at = address.find(who);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = address.substr(at + who.size());
    const std::string_view name = rest.substr(0, rest.find_first_of("%/&;@"));
    if (!name.empty() && is_placeholder(name)) return true;
  }
  return false;
}

constexpr std::string_view keys[] = {"pem-private-key", "pem-base64", "gcp-service-account", "putty-key", "age-key"};
// Of these comments are full: answers of services, and how an address is written. A vendor's token is one in comments
// too.
constexpr std::string_view explained[] = {"jwt",           "basic-auth-url", "token-user-url",    "presigned-aws",
                                          "presigned-gcs", "azure-sas-url",  "connection-string", "jdbc-password"};

}  // namespace

bool is_sample_path(std::string_view path) {
  const std::size_t slash = path.rfind('/') + 1;
  for (std::size_t at = 0; at < slash;) {
    const std::size_t end = path.find('/', at);
    if (is_sample_folder(path.substr(at, end - at))) return true;
    at = end + 1;
  }
  const std::string_view name = path.substr(slash);
  const auto holds = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const auto ends = [&](std::string_view ending) { return name.ends_with(ending); };
  const auto starts = [&](std::string_view start) { return name.starts_with(start); };
  return std::ranges::find(names, name) != std::end(names) || std::ranges::any_of(name_ends, ends) ||
         std::ranges::any_of(name_starts, starts) || std::ranges::any_of(name_parts, holds) || is_test_source(name);
}

bool is_published_value(std::string_view value) {
  const Digest digest = Digest::sha256_of(value);
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < sizeof start; ++i) start = start << 8 | digest.raw()[i];
  return std::ranges::binary_search(published_values, start);
}

bool is_sample(std::string_view path, const FileSecret& secret) {
  if (is_published_value(secret.value)) return true;
  if (may_hold_credentials(path)) return false;
  if (is_sample_path(path)) return true;
  if (std::ranges::find(keys, secret.detector) != std::end(keys)) return false;
  const std::string_view line = secret.excerpt;
  const std::string mark = secret_mark(secret.value.size());
  const std::string_view before = line.substr(0, line.rfind(mark));
  if (before.size() == line.size()) return false;  // binary: nothing is shown
  if (introduces_example(before) || is_masked_address(line)) return true;
  const Comments* const language = language_of(path);
  if (language == nullptr || std::ranges::find(explained, secret.detector) == std::end(explained)) return false;
  if ((language->blocks & secret.blocks) != 0 || stands_in_comment(*language, before)) return true;
  return is_made_up(secret.value, line.substr(before.size() + mark.size()));
}

}  // namespace ocilint
