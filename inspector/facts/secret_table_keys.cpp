#include "facts/secret_table.h"

namespace ocilint::secret_table {
namespace {

using enum Detector::Kind;
using enum Confidence;
using enum Guard::Bit;
constexpr unsigned token = placeholder | boundary;

// clang-format off: a pattern is one literal, so that it can be searched for
constexpr Detector rows[] = {
    // No row of equal letters is a placeholder here: OpenSSH keys without a passphrase hold long ones.
    {"pem-private-key", "a private key", certain, prefix, 4.0, across_lines | private_key, "-----BEGIN",
     R"re(-----BEGIN (?:[A-Z0-9]{2,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|\s){1,6}((?:[A-Za-z-]{3,20}: [^\n]{1,100}(?:\\n|\s){1,6}){0,4}[A-Za-z0-9+/=]{32,}[A-Za-z0-9+/=\s\\]{20,}))re",
     "-----BEGIN RSA PRIVATE KEY-----\n(MIIA[A-Za-z0-9+/]{60}\n[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}\n)-----END RSA PRIVATE KEY-----\n"},
    {"pem-base64", "a private key in base64", certain, prefix, 4.0, boundary | base64_key, "LS0tLS1CRUdJTi",
     R"re((LS0tLS1CRUdJTi[A-Za-z0-9+/]{64,}={0,2}))re",
     "DEPLOY=(<-----BEGIN PRIVATE KEY-----\nMIIA[A-Za-z0-9+/]{60}\n[A-Za-z0-9+/]{64}\n-----END PRIVATE KEY-----\n>)"},
    {"kubeconfig-key", "the client key of a kubeconfig", high, file, 4.0, any_case, "client-key-data",
     R"re((?i)client-key-data["']?:\s{0,4}["']?([A-Za-z0-9+/]{64,}={0,2}))re",
     "client-key-data: (LS0tLS1CRUdJTi[A-Za-z0-9+/]{200,300})"},
    {"putty-key", "a private key of PuTTY", high, prefix, 4.0, across_lines, "PuTTY-User-Key-File-",
     R"re(PuTTY-User-Key-File-[23]: (?:[^\n]*\n){3}Public-Lines: \d{1,3}\s{1,2}(?:[A-Za-z0-9+/=]+\s{1,2})+(?:[A-Z][A-Za-z0-9-]+: [^\n]*\n){0,6}?Private-Lines: \d{1,3}\s{1,2}((?:[A-Za-z0-9+/=]{4,64}\s{1,2})+))re",
     "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ci\nPublic-Lines: 1\n[A-Za-z0-9+/]{64}\nPrivate-Lines: 1\n([A-Za-z0-9+/]{48}\n)Private-MAC: [0-9a-f]{64}\n"},
    {"age-key", "an age identity", high, prefix, 3.5, token, "AGE-SECRET-KEY-1",
     R"re((AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}))re",
     "(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})"},
    {"jwt", "a JSON Web Token", high, prefix, 4.0, token | one_row, "eyJ",
     R"re((eyJ[A-Za-z0-9_-]{10,}\.(?:eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}|[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{8,32}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,})))re",
     "(eyJ[A-Za-z0-9_-]{33}.eyJ[A-Za-z0-9_-]{60,200}.[A-Za-z0-9_-]{43})"},
    {"presigned-aws", "a URL that grants access by its signature (S3, CloudFront)", high, context, 3.0,
     placeholder | any_case, "x-amz-signature x-amz-security-token awsaccesskeyid= key-pair-id=",
     R"re((?i)(?:X-Amz-Signature=([0-9a-f]{64})|X-Amz-Security-Token=([A-Za-z0-9%+/=_-]{40,})|(?:AWSAccessKeyId|Key-Pair-Id)=[^\s"']+?Signature=([A-Za-z0-9%+/=~_-]{20,})|Signature=([A-Za-z0-9%+/=~_-]{20,})[^\s"']+?(?:Key-Pair-Id|AWSAccessKeyId)=))re",
     "https://b.s3.amazonaws.com/k?X-Amz-Expires=604800&X-Amz-Signature=([0-9a-f]{64})"},
    {"presigned-gcs", "a URL that grants access by its signature (Google Cloud Storage)", high, context, 3.0,
     placeholder | any_case, "x-goog-signature googleaccessid=",
     R"re((?i)(?:X-Goog-Signature=([0-9a-f]{64,})|GoogleAccessId=[^\s"']+?Signature=([A-Za-z0-9%+/=_-]{40,})))re",
     "https://storage.googleapis.com/b/k?X-Goog-Expires=3600&X-Goog-Signature=([0-9a-f]{512})"},
    {"shadow-hash", "the hash of a password", high, file, 3.5, 0, "$1$ $5$ $6$ $y$ $2a$ $2b$ $2x$ $2y$ $apr1$ $argon2",
     R"re((?:^|[\n:'"=\s])(\$(?:6|5|1|y|2[abxy]|apr1|argon2id?)\$[A-Za-z0-9./$=,+-]{20,}))re",
     "root:($6$[A-Za-z0-9./]{16}$[A-Za-z0-9./]{86}):19000:0:99999:7:::"},
    {"netrc", "a password of a .netrc", high, file, 0, across_lines | reference | placeholder, "machine",
     R"re(machine[ \t]{1,8}[A-Za-z0-9.-]{3,253}(?:\\n|\s){1,8}login(?:\\n|\s){1,8}[^\s"']{1,128}(?:\\n|\s){1,8}password\s{1,8}([^\s"'{}$<\\]{4,256}))re",
     "machine git.invalid login ci password ([A-Za-z0-9]{16,24})"},
};
// clang-format on

}  // namespace

std::span<const Detector> keys() { return rows; }

}  // namespace ocilint::secret_table
