#include "facts/credential_files.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "base/glob.h"

namespace ocilint {
namespace {

struct KeptFile {
  std::string_view glob;
  std::string_view what;
};

// Written by the program itself when somebody logs in, or by hand for that purpose alone.
constexpr KeptFile kept[] = {
    {"**/.git-credentials", "the passwords that git has stored"},
    {"**/.netrc", "logins for curl, git and others"},
    {"**/_netrc", "logins for curl, git and others"},
    {"**/.pgpass", "passwords for PostgreSQL"},
    {"**/.aws/credentials", "the keys of the AWS tools"},
    {"**/.passwd-s3fs", "the keys of s3fs"},
    {"**/.vault-token", "the login of Vault"},
    {"**/.config/gh/hosts.yml", "the login of the GitHub command line"},
    {"**/.config/hub", "the login of hub"},
    {"**/.config/gcloud/application_default_credentials.json", "the default credentials of Google Cloud"},
    {"**/gcloud/credentials.db", "the logins of the gcloud command"},
    {"**/gcloud/access_tokens.db", "the logins of the gcloud command"},
    {"**/.azure/msal_token_cache.json", "the logins of the Azure command line"},
    {"**/.azure/msal_token_cache.bin", "the logins of the Azure command line"},
    {"**/.azure/accessTokens.json", "the logins of the Azure command line"},
    {"**/.azure/service_principal_entries.json", "the service principals of the Azure command line"},
    {"**/.kaggle/kaggle.json", "the key of the Kaggle command line"},
    {"**/.cache/huggingface/token", "the token of the Hugging Face tools"},
    {"**/.cache/huggingface/stored_tokens", "the tokens of the Hugging Face tools"},
    {"**/.huggingface/token", "the token of the Hugging Face tools"},
    {"**/.cargo/credentials", "the tokens of cargo"},
    {"**/.cargo/credentials.toml", "the tokens of cargo"},
    {"**/.gem/credentials", "the keys of gem"},
    {"**/.terraform.d/credentials.tfrc.json", "the tokens of Terraform"},
    {"**/.bash_history", "the commands that somebody typed"},
    {"**/.zsh_history", "the commands that somebody typed"},
    {"**/.ash_history", "the commands that somebody typed"},
    {"**/.python_history", "what somebody typed in Python"},
    {"**/.psql_history", "what somebody typed in psql"},
    {"**/.mysql_history", "what somebody typed in mysql"},
    {"/run/secrets/**", "secrets of the build, copied into the image"},
    {"/kaniko/.docker/config.json", "the registry logins of the builder"},
};

constexpr std::string_view may_hold[] = {
    "**/.npmrc",
    "**/npmrc",
    "**/.yarnrc",
    "**/.yarnrc.yml",
    "**/bunfig.toml",
    "**/auth.json",
    "**/NuGet.Config",
    "**/nuget.config",
    "**/.bundle/config",
    "**/gradle.properties",
    "**/.m2/settings.xml",
    "**/.m2/settings-security.xml",
    "**/.npm/_cacache/index-v5/**",
    "**/.pypirc",
    "**/pip.conf",
    "**/pip.ini",
    "**/uv.toml",
    "**/pypoetry/auth.toml",
    "**/.docker/config.json",
    "**/.dockercfg",
    "**/containers/auth.json",
    "**/.aws/config",
    "**/.boto",
    "**/.s3cfg",
    "**/rclone.conf",
    "**/.azure/*.json",
    "**/.env",
    "**/.env.*",
    "**/.git/config",
    "**/.gitconfig",
    "**/.gitmodules",
    "**/kubeconfig",
    "**/.kube/config",
    "**/kubernetes/admin.conf",
    "**/*.kubeconfig",
    "**/terraform.tfstate",
    "**/terraform.tfstate.backup",
    "**/*.tfvars",
    "**/.terraformrc",
    "/etc/apt/auth.conf",
    "/etc/apt/auth.conf.d/*",
    "/etc/apt/sources.list",
    "/etc/apt/sources.list.d/*",
    "/etc/apt/apt.conf",
    "/etc/apt/apt.conf.d/*",
    "/etc/yum.repos.d/*",
    "/etc/dnf/dnf.conf",
    "/etc/zypp/credentials.d/*",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "**/.htpasswd",
    "**/.my.cnf",
    "**/wp-config.php",
    "**/.esmtprc",
    "**/.msmtprc",
    "**/sftp-config.json",
    "**/sftp.json",
    "**/.ftpconfig",
    "**/sitemanager.xml",
    "**/WebServers.xml",
    "**/.fly/config.yml",
    "**/.sentryclirc",
    "**/.snowsql/config",
    "**/.databrickscfg",
    "**/.config/doctl/config.yaml",
    "**/sccache/config",
    "**/.condarc",
    "**/.wgetrc",
    "**/.curlrc",
    "/etc/environment",
    "**/*.ovpn",
};

// Written to be copied and filled in.
constexpr std::string_view templates[] = {"example", "sample", "template", "dist", "defaults"};

GlobSet frozen(std::span<const std::string_view> globs) {
  GlobSet set;
  for (std::uint32_t i = 0; i < globs.size(); ++i) set.add(Glob::parse(globs[i]), i);
  set.freeze();
  return set;
}

const GlobSet& kept_set() {
  static const GlobSet set = [] {
    std::array<std::string_view, std::size(kept)> globs;
    std::ranges::transform(kept, globs.begin(), &KeptFile::glob);
    return frozen(globs);
  }();
  return set;
}

const GlobSet& may_hold_set() {
  static const GlobSet set = frozen(may_hold);
  return set;
}

bool is_template(std::string_view path) {
  const std::string_view ending = path.substr(path.rfind('.') + 1);
  return std::ranges::find(templates, ending) != std::end(templates);
}

}  // namespace

bool may_hold_credentials(std::string_view path) {
  return (may_hold_set().any(path) && !is_template(path)) || kept_set().any(path);
}

std::string_view kept_credentials(std::string_view path) {
  std::string_view what;
  kept_set().match(path, [&](std::uint32_t row) { what = kept[row].what; });
  return what;
}

}  // namespace ocilint
