#include "facts/secret_samples.h"

#include <catch2/catch.hpp>

#include <string>

#include "facts/secret_scan.h"
#include "support/planted_secrets.h"

using namespace ocilint;
using namespace ocilint::test;

namespace {

/// The only secret of the text.
FileSecret only(const std::string& text) {
  static const SecretScanner scanner{std::span<const ExtraDetector>{}};
  SecretScan scan(scanner);
  scan.begin(SecretScope::file);
  scan.add(as_bytes(text), true);
  FileSecrets found = scan.take();
  REQUIRE(found.kept.size() == 1);
  return found.kept.front();
}

bool sample(const std::string& path, const std::string& text) { return is_sample(path, only(text)); }

}  // namespace

TEST_CASE("samples: words that introduce an example") {
  const std::string token = planted("github-token", 1).text;
  for (const std::string before :
       {"placeholder: 'e.g. ", "e.g.: ", " * @example ", "\"example\":\"",
        "\"examples\":{\"Example 1\":{\"value\":{\"token\":\"", "for example, ", "  sample = \"", ">>> login(\""}) {
    INFO(before);
    CHECK(sample("/opt/app/main.js", before + token + "'\n"));
    // Where credentials are kept no word excuses one.
    CHECK_FALSE(sample("/root/.npmrc", before + token + "'\n"));
  }
  for (const std::string before :
       {"token = '", "example.com token: ", "EXAMPLE_TOKEN=", "resample(", "\n\"example\": 1,\n  \"t\": \""}) {
    INFO(before);
    CHECK_FALSE(sample("/opt/app/main.js", before + token + "'\n"));
  }
}

TEST_CASE("samples: addresses and signed tokens in comments of programs, other tokens not") {
  const std::string url = planted("basic-auth-url", 2).text, token = planted("github-token", 3).text;
  CHECK(sample("/usr/lib/python3/a.py", "x = 1\n    # " + url + "\n"));
  CHECK(sample("/usr/lib/python3/a.py", "# \"token\": \"" + planted("jwt", 4).text + "\"\n"));
  CHECK(sample("/srv/a.ts", "\t * @param " + url + "\n"));
  CHECK(sample("/srv/a.ts", "// " + url + "\n"));
  CHECK_FALSE(sample("/srv/a.ts", "# " + url + "\n"));
  CHECK_FALSE(sample("/srv/a.ts", "connect('" + url + "')  // the base\n"));
  CHECK_FALSE(sample("/usr/lib/python3/a.py", "# " + token + "\n"));
  // Blocks of documentation, whose lines need no mark.
  CHECK(sample("/usr/share/perl5/A.pm", "1;\n\n=head1 URL\n\n  A->new('" + url + "');\n\n=cut\n"));
  CHECK(sample("/usr/lib/python3/a.py", "def f():\n    r\"\"\"Opens\n    " + url + "\n    \"\"\"\n"));
  CHECK(sample("/srv/a.ts", "/**\n   " + url + "\n*/\n"));
  CHECK_FALSE(sample("/usr/share/perl5/A.pm", "=head1 URL\n\n=cut\n\nA->new('" + url + "');\n"));
  CHECK_FALSE(sample("/usr/lib/python3/a.py", "sql = \"\"\"\n    " + url + "\n\"\"\"\n"));
  CHECK_FALSE(sample("/srv/a.ts", "=head1\n" + url + "\n"));
  CHECK_FALSE(sample("/srv/a.py", "\"\"\"\n" + token + "\n\"\"\"\n"));
  // What is commented out there was in use.
  for (const char* const path :
       {"/etc/app.conf", "/usr/bin/start.sh", "/srv/values.yaml", "/srv/Dockerfile", "/etc/py.d/x"})
    CHECK_FALSE(sample(path, "# " + url + "\n"));
  // The beginning of a long line is not seen.
  CHECK_FALSE(sample("/srv/a.ts", "// " + std::string(200, 'x') + " " + url + "\n"));
}

TEST_CASE("samples: what introduces a long address, and the second of two in one line") {
  const std::string long_query =
      "e.g.: ?sv=2023-01-03&ss=bfqt&srt=sco&sp=rwdlacupyx&se=2031-09-10T20:27:28Z&spr=https&";
  const std::string sas = planted("azure-sas-url", 8).text;
  CHECK(sample("/srv/a.py", "    " + long_query + sas.substr(sas.find("sig=")) + "\n"));
  CHECK_FALSE(sample("/srv/a.py", "    " + long_query.substr(6) + sas.substr(sas.find("sig=")) + "\n"));
  const std::string token = planted("github-token", 9).text, other = planted("github-token", 10).text;
  static const SecretScanner scanner{std::span<const ExtraDetector>{}};
  SecretScan scan(scanner);
  scan.begin(SecretScope::file);
  scan.add(as_bytes("{\"token\": \"" + token + "\", \"example\": \"" + other + "\"}\n"), true);
  const FileSecrets found = scan.take();
  REQUIRE(found.kept.size() == 2);
  CHECK(is_sample("/srv/a.json", found.kept[1]));
}

TEST_CASE("samples: a short word for the password of a host that is nobody's, in the source of a program") {
  const std::string at = "@", made_up = "\"mysql://scott:tiger";
  for (const char* const host : {"localhost/test\"", "192.168.0.134:3306/x\"", "db\"", "mssql2017:1433/test?x=1.2\""}) {
    INFO(host);
    CHECK(sample("/usr/lib/python3/dialects/base.py", "    e = connect(" + made_up + at + host + ")\n"));
    CHECK_FALSE(sample("/etc/app.yaml", "db: " + made_up + at + host + "\n"));
  }
  CHECK_FALSE(sample("/srv/base.py", "e = " + made_up + at + "db.invalid/x\"\n"));
  CHECK_FALSE(sample("/srv/base.py", "e = \"mysql://scott:tiger7q" + at + "localhost/x\"\n"));
}

TEST_CASE("samples: a signed address that says of nobody that he signed it") {
  const std::string signature = planted("presigned-aws", 5).text;
  const std::string query = signature.substr(signature.find('?') + 1);
  CHECK(sample("/srv/a.js", "\"https://b.s3.amazonaws.com/k?X-Amz-Credential=XXXXXX%2Fus&" + query + "\"\n"));
  CHECK_FALSE(sample("/srv/a.js",
                     "\"https://b.s3.amazonaws.com/k?X-Amz-Credential=AS"
                     "IAQ3EGKV2Q%2Fus&" +
                         query + "\"\n"));
}

TEST_CASE("samples: a private key is one wherever it stands, unless its path says otherwise") {
  const std::string key = planted("pem-private-key", 6).text;
  CHECK_FALSE(sample("/srv/a.py", "# for example:\n" + key));
  CHECK_FALSE(sample("/srv/a.py", "example = \"" + key + "\"\n"));
  for (const char* const path :
       {"/x/test-ca/rsa/a.key", "/go/caddytest/a.key", "/go/httptest/a.key", "/x/Tests/a.key", "/x/code_examples/a.key",
        "/x/ssl_test.cc", "/x/HttpTest.java", "/x/a-test.js", "/usr/share/x/help/a"})
    CHECK(sample(path, key));
  for (const char* const path : {"/srv/latest/a.key", "/srv/attest/a.key", "/srv/app/a.key", "/srv/app_test",
                                 "/srv/Contest.java", "/srv/db_test.yaml"}) {
    INFO(path);
    CHECK_FALSE(sample(path, key));
  }
}

TEST_CASE("samples: parts of an address that are words for others") {
  const auto count = [](const std::string& text) {
    static const SecretScanner scanner{std::span<const ExtraDetector>{}};
    SecretScan scan(scanner);
    scan.begin(SecretScope::file);
    scan.add(as_bytes(text), true);
    return scan.take().kept.size();
  };
  const std::string at = "@", made_up = "tr0ub4dor", random = value_of(planted("basic-auth-url", 7));
  CHECK(count("http://localhost:8545" + at + "8675309") == 0);
  CHECK(count("http://10.1.2.3:80" + at + "v7") == 0);
  CHECK(count("scheme://user:" + random + at + "host1.invalid") == 0);
  CHECK(count("mysql://app:" + made_up + at + "hostname:3306/x") == 0);
  CHECK(count("mysql://app:" + made_up + at + "db.invalid:3306/x") == 1);
  CHECK(count("mysql://app:" + random + at + "hostname/x") == 1);
  CHECK(count("mysql://root:testpass" + at + "127.0.0.1/x") == 0);
  CHECK(count("redis://:12345678" + at + "10.1.2.3") == 1);
  // A part of a picture, and what a program puts a value into.
  const std::string pat = planted("azure-devops-pat", 8).text, data(120, 'Q');
  CHECK(count("url(data:font/woff;base64," + pat + ")") == 1);
  CHECK(count("url(data:font/woff;base64," + data + pat + "BQ==)") == 0);
  CHECK(count("url(data:font/woff;base64,AA+" + pat + "/" + data + ")") == 0);
  CHECK(count("?S3.AWSAccessKeyId=__AccessKeyId__&S3.Signature=__UploadPolicySignature__&v=1") == 0);
}
