#include "facts/secret_table.h"

namespace ocilint::secret_table {
namespace {

using enum Detector::Kind;
using enum Confidence;
using enum Guard::Bit;
constexpr unsigned token = placeholder | boundary;

// clang-format off: a pattern is one literal, so that it can be searched for
constexpr Detector rows[] = {
    {"slack-token", "a Slack token", high, prefix, 3.0, token,
     "xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxe. xoxo- xoxc- xoxd- xapp-",
     R"re(((?:xox[bpaors]-\d{8,14}-\d{8,14}(?:-\d{8,14})?-[A-Za-z0-9]{20,40})|(?:xoxe(?:\.xox[bp])?-\d-[A-Za-z0-9+/=_-]{100,})|(?:xox[cd]-[A-Za-z0-9%-]{40,250})|(?:xapp-\d-[A-Z0-9]{8,13}-\d{8,14}-[0-9a-f]{64})))re",
     "(xoxb-[0-9]{12}-[0-9]{13}-[A-Za-z0-9]{24})"},
    {"slack-webhook", "a Slack webhook", high, prefix, 3.0, token, "hooks.slack.com/",
     R"re((hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9a-z/]{20,}))re",
     "https://(hooks.slack.com/services/T[A-Z0-9]{8}/B[A-Z0-9]{8}/[A-Za-z0-9]{24})"},
    {"stripe-key", "a Stripe key", high, prefix, 3.0, token, "sk_live_ rk_live_ sk_test_ rk_test_ whsec_",
     R"re(((?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9+/]{24,}))re", "(sk_live_[A-Za-z0-9]{24,99})"},
    {"twilio-key", "a Twilio key", medium, context, 3.0, placeholder | any_case, "twilio",
     R"re((?i)twilio[A-Za-z0-9_ .-]{0,32}["' ]{0,3}[:=]{1,2}[> "']{0,3}((?:SK)?[0-9a-f]{32})(?:[^0-9a-zA-Z]|$))re",
     "TWILIO_AUTH_TOKEN=([0-9a-f]{32})"},
    {"sendgrid-key", "a SendGrid key", high, prefix, 4.0, token, "SG.",
     R"re((SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})(?:[^A-Za-z0-9_-]|$))re",
     "(SG.[A-Za-z0-9_-]{22}.[A-Za-z0-9_-]{43})"},
    {"mailgun-key", "a Mailgun key", medium, context, 3.0, placeholder | any_case, "mailgun",
     R"re((?i)mailgun[A-Za-z0-9_ .-]{0,32}["' ]{0,3}[:=]{1,2}[> "']{0,3}((?:key-[0-9a-f]{32})|(?:[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})))re",
     "MAILGUN_API_KEY=(key-[0-9a-f]{32})"},
    {"mailchimp-key", "a Mailchimp key", high, context, 3.0, placeholder,
     "-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9",
     R"re((?:[^0-9a-zA-Z]|^)([0-9a-f]{32}-us[1-9]\d?)(?:[^0-9a-zA-Z]|$))re", "([0-9a-f]{32}-us[1-9][0-9])"},
    {"square-key", "a Square key", high, prefix, 3.5, token, "sq0csp- sq0atp-",
     R"re((sq0(?:csp-[A-Za-z0-9_-]{43,50}|atp-[A-Za-z0-9_-]{22,30})))re", "(sq0csp-[A-Za-z0-9_-]{43})"},
    {"brevo-key", "a Brevo key", high, prefix, 3.2, token, "xkeysib-", R"re((xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}))re",
     "(xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16})"},
    {"dynatrace-token", "a Dynatrace token", high, prefix, 3.5, token, "dt0c01. dt0s01. dt0s02.",
     R"re((dt0[cs]0[12]\.[A-Z2-7]{24}\.[A-Z2-7]{64}))re", "(dt0c01.[A-Z2-7]{24}.[A-Z2-7]{64})"},
    {"hubspot-token", "a HubSpot token", high, prefix, 3.0, token, "pat-na1- pat-na2- pat-eu1-",
     R"re((pat-(?:na[12]|eu1)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))re",
     "(pat-na1-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"},
    {"datadog-key", "a Datadog key", medium, context, 3.0, placeholder | any_case,
     "datadog ddapi dd_api dd-api ddapp dd_app dd-app",
     R"re((?i)(?:dd|datadog)[_-]?(?:api|app|application)[_-]?key["' ]{0,3}[:=]{1,2}[> "']{0,3}([0-9a-f]{40}|[0-9a-f]{32})(?:[^0-9a-zA-Z]|$))re",
     "DD_API_KEY=([0-9a-f]{32})"},
    {"sentry-token", "a Sentry token", high, prefix, 3.5, token, "sntrys_ sntryu_",
     R"re(((?:sntryu_[0-9a-f]{64})|(?:sntrys_eyJ[A-Za-z0-9+/=_-]{40,})))re", "(sntryu_[0-9a-f]{64})"},
    {"sentry-legacy-dsn", "the secret half of an old Sentry address", high, context, 3.0, placeholder | any_case,
     "sentry", R"re(https://[0-9a-f]{32}:([0-9a-f]{32})@[^\s/]{0,80}sentry)re",
     "https://[0-9a-f]{32}:([0-9a-f]{32})@o[0-9]{5}.ingest.sentry.invalid/[0-9]{5}"},
    {"newrelic-key", "a New Relic key", high, prefix, 3.2, token, "NRAK- NRII- NRIQ- NRSP-",
     R"re((NR(?:AK|II|IQ|SP)-[A-Za-z0-9_-]{27,}))re", "(NRAK-[A-Z0-9]{27})"},
    {"grafana-token", "a Grafana token", high, prefix, 3.5, token, "glsa_ glc_eyJ",
     R"re(((?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8})|(?:glc_eyJ[A-Za-z0-9+/=]{40,})))re",
     "(glsa_[A-Za-z0-9]{32}_[0-9a-f]{8})"},
    {"shopify-token", "a Shopify token", high, prefix, 3.0, token, "shpat_ shpca_ shppa_ shpss_",
     R"re((shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32}))re", "(shpat_[0-9a-f]{32})"},
    {"discord-webhook", "a Discord webhook", high, prefix, 3.5, token,
     "discord.com/api/webhooks/ discordapp.com/api/webhooks/",
     R"re((discord(?:app)?\.com/api/webhooks/\d{17,20}/[A-Za-z0-9_-]{60,}))re",
     "https://(discord.com/api/webhooks/[1-9][0-9]{18}/[A-Za-z0-9_-]{68})"},
    {"telegram-bot", "a token of a Telegram bot", high, context, 3.8, placeholder,
     "0:AA 1:AA 2:AA 3:AA 4:AA 5:AA 6:AA 7:AA 8:AA 9:AA",
     R"re((?:[^0-9]|^)(\d{8,10}:AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$))re", "([1-9][0-9]{9}:AA[A-Za-z0-9_-]{33})"},
    {"misc-saas", "a token of a hosted service", high, prefix, 3.5, token,
     "lin_api_ dp.pt. dp.st. PMAK- tskey- sbp_ sb_secret_ ntn_ figd_ phx_ pscale_tkn_ nfp_ ops_eyJ shippo_live_ EZAK "
     "rnd_ tfp_",
     R"re(((?:lin_api_[A-Za-z0-9]{40}|dp\.(?:pt|st)\.[A-Za-z0-9._-]{40,60}|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9-]{20,80}|sbp_[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{31}|ntn_[A-Za-z0-9]{46}|figd_[A-Za-z0-9_-]{40}|phx_[A-Za-z0-9]{43,50}|pscale_tkn_[A-Za-z0-9_.-]{32,64}|nfp_[A-Za-z0-9]{36}|ops_eyJ[A-Za-z0-9+/=_-]{150,}|shippo_live_[0-9a-f]{40}|EZAK[A-Za-z0-9]{54}|rnd_[A-Za-z0-9]{28}|tfp_[A-Za-z0-9_.=-]{40,60}))(?:[^A-Za-z0-9]|$))re",
     "(lin_api_[A-Za-z0-9]{40})"},
};
// clang-format on

}  // namespace

std::span<const Detector> services() { return rows; }

}  // namespace ocilint::secret_table
