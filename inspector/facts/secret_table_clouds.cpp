#include "facts/secret_table.h"

namespace ocilint::secret_table {
namespace {

using enum Detector::Kind;
using enum Confidence;
using enum Guard::Bit;
constexpr unsigned token = placeholder | boundary;

// clang-format off: a pattern is one literal, so that it can be searched for
constexpr Detector rows[] = {
    {"aws-access-key-id", "an AWS access key id", high, prefix, 2.7, token, "AKIA ASIA ABIA ACCA",
     R"re((A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16})(?:[^A-Z0-9]|$))re", "(AKIA[A-Z2-7]{16})"},
    {"aws-secret-access-key", "an AWS secret access key", medium, context, 4.2, placeholder | any_case,
     "secretkey secret_key secret-key secretaccess secret_access secret-access",
     R"re((?i)(?:aws[_-]?)?secret[_-]?(?:access[_-]?)?key(?:[_-]?id)?["' ]{0,3}[:=,> ]{1,4}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$))re",
     "aws_secret_access_key=([A-Za-z0-9/+]{40})"},
    {"aws-session-token", "an AWS session token", high, prefix, 4.5, token, "FwoGZXIvYXdz IQoJb3JpZ2lu",
     R"re(((?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9/+]{100,}={0,2}))re", "(IQoJb3JpZ2lu[A-Za-z0-9/+]{260,400})"},
    {"aws-bedrock-key", "an AWS Bedrock API key", high, prefix, 4.0, token, "ABSKQmVkcm9ja0FQSUtleS bedrock-api-key-",
     R"re(((?:ABSKQmVkcm9ja0FQSUtleS|bedrock-api-key-)[A-Za-z0-9+/=]{40,}))re",
     "(ABSKQmVkcm9ja0FQSUtleS[A-Za-z0-9+/]{80,100})"},
    {"gcp-api-key", "a Google API key", high, prefix, 4.0, token, "AIza",
     R"re((AIza[A-Za-z0-9_-]{35})(?:[^A-Za-z0-9_-]|$))re", "(AIza[A-Za-z0-9_-]{35})"},
    {"gcp-oauth-secret", "a Google OAuth client secret", high, prefix, 3.5, token, "GOCSPX-",
     R"re((GOCSPX-[A-Za-z0-9_-]{28})(?:[^A-Za-z0-9_-]|$))re", "(GOCSPX-[A-Za-z0-9_-]{28})"},
    {"gcp-oauth-access", "a Google OAuth access token", high, prefix, 3.5, token, "ya29.",
     R"re((ya29\.[A-Za-z0-9_-]{30,}))re", "(ya29.[A-Za-z0-9_-]{120,160})"},
    {"gcp-refresh-token", "a refresh token of a Google login", high, prefix, 4.0, token, "1//0",
     R"re((1//0[0-9a-z][A-Za-z0-9_-]{38,120}))re", "(1//0[0-9a-z][A-Za-z0-9_-]{60,98})"},
    {"alibaba-key-id", "an Alibaba Cloud key id", high, prefix, 3.5, token, "LTAI",
     R"re((LTAI[A-Za-z0-9]{20})(?:[^A-Za-z0-9]|$))re", "(LTAI[A-Za-z0-9]{20})"},
    {"gcp-service-account", "the private key of a Google service account", certain, file, 4.0,
     across_lines | private_key, "service_account",
     R"re("type"\s{0,4}:\s{0,4}"service_account"[^}]*?"private_key"\s{0,4}:\s{0,4}"-----BEGIN (?:[A-Z]{2,8} )?PRIVATE KEY-----([A-Za-z0-9+/=\\\s]{64,}))re",
     "{\"type\": \"service_account\", \"private_key\": \"-----BEGIN PRIVATE KEY-----(\\\\nMIIA[A-Za-z0-9+/]{60}\\\\n[A-Za-z0-9+/]{64}\\\\n[A-Za-z0-9+/]{64}\\\\n)-----END PRIVATE KEY-----\\\\n\"}"},
    {"azure-account-key", "the account key of an Azure connection string", high, context, 4.5, placeholder | any_case,
     "accountkey=", R"re((?i)AccountKey=([A-Za-z0-9+/]{86}==))re",
     "DefaultEndpointsProtocol=https;AccountName=builds;AccountKey=([A-Za-z0-9+/]{86}==);EndpointSuffix=core.windows.net"},
    {"azure-shared-access-key", "a shared access key of an Azure connection string", high, context, 4.0,
     placeholder | any_case, "sharedaccesskey=", R"re((?i)SharedAccessKey=([A-Za-z0-9+/]{43}=))re",
     "Endpoint=sb://q.servicebus.windows.net/;SharedAccessKeyName=send;SharedAccessKey=([A-Za-z0-9+/]{43}=)"},
    {"azure-sas-url", "the signature of an Azure SAS URL", high, context, 3.8, placeholder | any_case,
     "sig=", R"re((?i)[?&;](?:amp;)?sig=([A-Za-z0-9%+/_-]{40,80}(?:%3D|=){0,2}))re",
     "https://a.blob.core.windows.net/c/f?sv=2023-01-03&se=2031-01-01&sr=b&sig=([A-Za-z0-9]{43}%3D)"},
    {"azure-entra-secret", "an Azure application secret", high, context, 4.0, placeholder,
     "0Q~ 1Q~ 2Q~ 3Q~ 4Q~ 5Q~ 6Q~ 7Q~ 8Q~ 9Q~",
     R"re((?:[^A-Za-z0-9_~.-]|^)([A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$))re",
     "([A-Za-z0-9]{3}[0-9]Q~[A-Za-z0-9_~.-]{30}[A-Za-z0-9]{2})"},
    {"azure-devops-pat", "an Azure DevOps token", high, context, 4.5, placeholder, "AZDO",
     R"re(([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}))re", "([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})"},
    {"digitalocean-token", "a DigitalOcean token", high, prefix, 3.2, token, "dop_v1_ doo_v1_ dor_v1_",
     R"re((do[por]_v1_[0-9a-f]{64}))re", "(dop_v1_[0-9a-f]{64})"},
    {"cloudflare-token", "a Cloudflare token", high, prefix, 3.5, token, "cfut_ cfat_ cfk_",
     R"re((cf(?:ut|at|k)_[A-Za-z0-9]{40}[0-9a-f]{8})(?:[^A-Za-z0-9]|$))re", "(cfut_[A-Za-z0-9]{40}[0-9a-f]{8})"},
    {"heroku-key", "a Heroku key", high, prefix, 3.2, token, "HRKU-", R"re((HRKU-[A-Za-z0-9_-]{36,}))re",
     "(HRKU-AA[A-Za-z0-9_-]{58})"},
    {"flyio-token", "a Fly.io token", high, prefix, 4.0, token, "fm2_ fo1_",
     R"re(((?:fm2_[A-Za-z0-9+/=,_-]{80,})|(?:fo1_[A-Za-z0-9_-]{43})))re", "(fo1_[A-Za-z0-9_-]{43})"},
    {"vault-token", "a Vault token", high, prefix, 3.8, token, "hvs. hvb. hvr.", R"re((hv[bsr]\.[A-Za-z0-9_-]{24,}))re",
     "(hvs.[A-Za-z0-9_-]{90,110})"},
    {"terraform-cloud", "a Terraform Cloud token", high, context, 4.0, placeholder, ".atlasv1.",
     R"re(([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,80}))re", "([A-Za-z0-9]{14}.atlasv1.[A-Za-z0-9_-]{67})"},
    {"pulumi-token", "a Pulumi token", high, prefix, 3.2, token, "pul-", R"re((pul-[0-9a-f]{40})(?:[^0-9a-zA-Z]|$))re",
     "(pul-[0-9a-f]{40})"},
    {"databricks-token", "a Databricks token", high, prefix, 3.0, token, "dapi",
     R"re((dapi[0-9a-f]{32}(?:-\d)?)(?:[^0-9a-zA-Z]|$))re", "(dapi[0-9a-f]{32})"},
};
// clang-format on

}  // namespace

std::span<const Detector> clouds() { return rows; }

}  // namespace ocilint::secret_table
