#include "facts/secret_table.h"

namespace ocilint::secret_table {
namespace {

using enum Detector::Kind;
using enum Confidence;
using enum Guard::Bit;
constexpr unsigned token = placeholder | boundary;

// clang-format off: a pattern is one literal, so that it can be searched for
constexpr Detector rows[] = {
    {"github-token", "a GitHub token", high, prefix, 3.5, token, "ghp_ gho_ ghu_ ghr_",
     R"re((gh[poru]_[A-Za-z0-9][A-Za-z0-9._-]{35,}))re", "(ghp_[A-Za-z0-9]{36})"},
    {"github-app-token", "a token of a GitHub app or job", high, prefix, 3.5, token, "ghs_",
     R"re((ghs_[A-Za-z0-9._-]{36,}))re", "(ghs_[0-9]{7}_eyJ[A-Za-z0-9_-]{60}.eyJ[A-Za-z0-9_-]{200}.[A-Za-z0-9_-]{86})"},
    {"github-fine-pat", "a fine-grained GitHub token", high, prefix, 3.5, token, "github_pat_",
     R"re((github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}))re", "(github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})"},
    // An installation may put a prefix of its own before it: no boundary.
    {"gitlab-token", "a GitLab token", high, prefix, 3.2, placeholder,
     "glpat- glptt- gldt- glrt- glrtr- glcbt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
     R"re((gl(?:pat|ptt|dt|rt|rtr|cbt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2,12}){0,2}))re",
     "(glpat-[A-Za-z0-9_-]{27}.[0-9a-z]{2}.[0-9a-z]{9})"},
    {"gitlab-runner-reg", "a registration token of a GitLab runner", high, prefix, 3.2, token, "GR1348941",
     R"re((GR1348941[A-Za-z0-9_-]{20,}))re", "(GR1348941[A-Za-z0-9_-]{20})"},
    {"atlassian-token", "an Atlassian or Bitbucket token", high, prefix, 3.8, token, "ATATT3xFfGF0 ATCTT3xFfG ATBB",
     R"re(((?:ATATT3xFfGF0[A-Za-z0-9_=-]{60,250})|(?:ATCTT3xFfG[A-Za-z0-9_=-]{60,250})|(?:ATBB[A-Za-z0-9]{32}))(?:[^A-Za-z0-9]|$))re",
     "(ATATT3xFfGF0[A-Za-z0-9_-]{170}=[0-9A-F]{8})"},
    {"buildkite-token", "a Buildkite token", high, prefix, 3.2, token, "bkua_ bkaa_ bkaj_ bkct_ bkpt_",
     R"re((bk(?:ua|aa|aj|ct|pt)_[A-Za-z0-9]{32,}))re", "(bkua_[0-9a-f]{40})"},
    {"circleci-token", "a CircleCI token", high, prefix, 3.5, token, "CCIPAT_ CCIPRJ_",
     R"re((CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[0-9a-f]{40}))re", "(CCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40})"},
    {"npm-token", "an npm token", high, prefix, 3.5, token, "npm_", R"re((npm_[A-Za-z0-9]{36})(?:[^A-Za-z0-9]|$))re",
     "(npm_[A-Za-z0-9]{36})"},
    {"npmrc-auth", "a credential of an .npmrc", high, file, 3.0, placeholder | reference | any_case,
     "_authtoken :_auth :_password",
     R"re((?i)//[^\s=]{3,200}:_(?:authToken|auth|password)\s{0,3}=\s{0,3}["']?([A-Za-z0-9+/=_.-]{12,}))re",
     "//registry.invalid/:_authToken=([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})"},
    {"pypi-token", "a token of the Python package index", high, prefix, 4.0, token, "pypi-AgE",
     R"re((pypi-AgE[A-Za-z0-9_-]{60,}))re", "(pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{130,160})"},
    {"rubygems-key", "a RubyGems key", high, prefix, 3.0, token, "rubygems_", R"re((rubygems_[0-9a-f]{48}))re",
     "(rubygems_[0-9a-f]{48})"},
    {"crates-token", "a crates.io token", high, context, 3.8, placeholder, "cio",
     R"re((?i)(?:cargo|crates|registry)[^\n]{0,40}[^A-Za-z0-9](cio[A-Za-z0-9]{32})(?:[^A-Za-z0-9]|$))re",
     "CARGO_REGISTRY_TOKEN=(cio[A-Za-z0-9]{32})"},
    {"nuget-key", "a NuGet key", medium, prefix, 3.8, token, "oy2", R"re((oy2[a-z0-9]{43})(?:[^A-Za-z0-9]|$))re",
     "(oy2[a-z0-9]{43})"},
    {"dockerhub-token", "a Docker Hub token", high, prefix, 3.5, token, "dckr_pat_ dckr_oat_",
     R"re((dckr_[po]at_[A-Za-z0-9_-]{27,}))re", "(dckr_pat_[A-Za-z0-9_-]{27})"},
    {"docker-auths", "a registry login of a Docker configuration", high, file, 3.0, base64_pair, "\"auth\"",
     R"re("auth"\s{0,4}:\s{0,4}"([A-Za-z0-9+/]{8,}={0,2})")re", "\"auth\": \"(<ci:[A-Za-z0-9]{20,24}>)\""},
    {"jfrog-token", "an Artifactory token", high, prefix, 4.0, token, "AKCp cmVmdGtu",
     R"re(((?:AKCp\d[A-Za-z0-9]{60,})|(?:cmVmdGtuO[A-Za-z0-9]{50,70}))(?:[^A-Za-z0-9]|$))re", "(AKCp8[A-Za-z0-9]{68})"},
    {"sourcegraph-token", "a Sourcegraph token", high, prefix, 3.2, token, "sgp_",
     R"re((sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40})(?:[^0-9a-zA-Z]|$))re", "(sgp_[0-9a-f]{16}_[0-9a-f]{40})"},
    {"sonar-token", "a SonarQube token", high, prefix, 3.2, token, "sqp_ squ_ sqa_",
     R"re((sq[pau]_[0-9a-f]{40})(?:[^0-9a-zA-Z]|$))re", "(sqp_[0-9a-f]{40})"},
    {"git-extraheader", "the login that a CI checkout left in a git configuration", high, context, 3.0,
     any_case | base64_pair, "extraheader",
     R"re((?i)extraheader["']?[\s=]{1,6}["']?AUTHORIZATION:\s{0,3}basic\s{1,3}([A-Za-z0-9+/=]{16,}))re",
     "http.https://git.invalid/.extraheader=AUTHORIZATION: basic (<x-access-token:[A-Za-z0-9]{40}>)"},
};
// clang-format on

}  // namespace

std::span<const Detector> forges() { return rows; }

}  // namespace ocilint::secret_table
