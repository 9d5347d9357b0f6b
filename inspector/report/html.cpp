// One page for people: what was decided, on what evidence, and what the image looks like. It loads nothing, and its
// policy (Content-Security-Policy) allows its own style and script only, by their digests.
#include <fmt/format.h>

#include <algorithm>

#include "base/base64.h"
#include "base/digest.h"
#include "report/escape.h"
#include "report/html_parts.h"
#include "report/problems.h"

namespace ocilint {
namespace {

std::string source_of(std::string_view text) {
  const Digest digest = Digest::sha256_of(text);
  std::string raw;
  const std::string hex = digest.hex();
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    raw += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return "'sha256-" + encode_base64(raw) + "'";
}

std::string_view class_of(ExitStatus status) {
  switch (status) {
    case ExitStatus::good: return "good";
    case ExitStatus::findings: return "bad";
    case ExitStatus::untrusted: return "unsure";
    case ExitStatus::unreadable: return "unsure";
  }
  return "unsure";
}

std::string_view word_of(ExitStatus status) {
  switch (status) {
    case ExitStatus::good: return "Passed";
    case ExitStatus::findings: return "Failed";
    case ExitStatus::untrusted: return "Not to be trusted";
    case ExitStatus::unreadable: return "Unreadable";
  }
  return "Not to be trusted";
}

std::string_view sentence_of(ExitStatus status) {
  switch (status) {
    case ExitStatus::good: return "Everything that was asked of this image holds.";
    case ExitStatus::findings: return "Something that was asked of this image does not hold.";
    case ExitStatus::untrusted: return "Something could not be checked, so nothing is called a pass.";
    case ExitStatus::unreadable: return "The image could not be read, so nothing is known of it.";
  }
  return "";
}

std::string verdict_mark(ExitStatus status) {
  return fmt::format("<p class=\"verdict {}\"><span class=\"word\">{}</span> <span class=\"means\">{}</span></p>\n",
                     class_of(status), word_of(status), sentence_of(status));
}

std::string figures(const ImageResult& result) {
  std::size_t open = 0, waived = 0, known = 0, passed = 0, skipped = 0, unknown = 0;
  for (const CheckResult& check : result.checks) {
    open += check.open_findings(Severity::note);
    waived += check.waived_findings();
    known += check.known_findings();
    passed += check.outcome == Outcome::pass;
    skipped += check.outcome == Outcome::not_applicable;
    unknown += check.outcome == Outcome::error;
  }
  return "<dl class=\"figures\">" + html_figure("could not be checked", unknown, "unsure") +
         html_figure("findings", open, "bad") + html_figure("waived", waived, "waived") +
         (known > 0 ? html_figure("known", known, "waived") : "") + html_figure("checks passed", passed, "good") +
         html_figure("not applicable", skipped, "skip") + "</dl>\n";
}

std::string facts(const ImageResult& result) {
  std::uint64_t unpacked = 0, stored = 0;
  for (const LayerResult& layer : result.layers) {
    unpacked += layer.unpacked_bytes;
    stored += layer.stored_bytes;
  }
  std::string layers;
  if (!result.layers.empty()) {
    layers = count_text(result.layers.size(), "layer");
    if (unpacked > 0) layers += ", " + human_bytes(unpacked) + " unpacked";
    if (stored > 0) layers += ", " + human_bytes(stored) + " stored";
  }
  std::string policies;
  for (const PolicyResult& policy : result.policies) policies += (policies.empty() ? "" : ", ") + for_html(policy.name);
  std::string out =
      "<dl class=\"facts\">" +
      html_fact("digest",
                result.manifest_digest.empty() ? "" : "<code>" + for_html(result.manifest_digest) + "</code>") +
      html_fact("platform", for_html(result.platform)) + html_fact("layers", layers) + html_fact("policy", policies);
  if (result.view != "overlay") out += html_fact("view", for_html(result.view));
  const std::vector<std::string> compared = compared_with(result);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const OtherImageResult& other = result.others[i];
    out += html_fact("compared with", fmt::format("<code>{}</code>{}", for_html(compared[i]),
                                                  other.layers_read + other.layers_shared == 0 ? ", not read" : ""));
  }
  return out + "</dl>\n";
}

std::string problems(const ImageResult& result, const ReportStyle& style) {
  std::string out;
  for (const Problem& problem : problems_of(result, style))
    if (problem.check == nullptr && problem.kind != Problem::Kind::finding)
      out += "<li>" + for_html(problem.text) + "</li>";
  return out.empty() ? "" : "<ul class=\"holes\">" + out + "</ul>\n";
}

std::string image(const ImageResult& result, const ReportStyle& style, const std::string& id) {
  const HtmlPlace place{id, result.layers.size()};
  std::string out = fmt::format("<article class=\"image\" id=\"{}\">\n<header class=\"head\">\n", id);
  out += verdict_mark(verdict(result, style.fail_on));
  out += fmt::format("<h1>{}</h1>\n", for_html(result.full_reference)) + facts(result) + problems(result, style);
  if (!result.unreadable) out += figures(result);
  out += "</header>\n";
  if (result.unreadable) return out + "</article>\n";
  return out + html_image_parts(result, place) + "</article>\n";
}

std::string overview(std::span<const ImageResult> results, const ReportStyle& style) {
  if (results.size() < 2) return "";
  const ExitStatus status = verdict(results, style.fail_on, 1, 1);
  std::string out = fmt::format(
      "<nav class=\"overview\" aria-label=\"Images of this report\"><h2>{} images: {}</h2><div class=\"wide\"><table><thead><tr><th>image</th>"
      "<th>verdict</th><th>checks</th></tr></thead><tbody>\n",
      results.size(), to_string(status));
  for (std::size_t i = 0; i < results.size(); ++i)
    out += fmt::format("<tr><td><a href=\"#i{}\"><code>{}</code></a> {}</td><td class=\"{}\">{}</td><td>{}</td></tr>\n",
                       i, for_html(results[i].full_reference), for_html(results[i].platform),
                       class_of(verdict(results[i], style.fail_on)), word_of(verdict(results[i], style.fail_on)),
                       results[i].unreadable ? "none" : count_line(results[i], style.fail_on));
  return out + "</tbody></table></div></nav>\n";
}

}  // namespace

std::string HtmlPlace::layer_id(std::uint32_t layer) const { return fmt::format("{}-layer{}", id, layer); }

std::string HtmlPlace::colour(std::uint32_t layer) const {
  constexpr std::size_t steps = 12;  // of report/html/report.css
  const std::size_t last = std::max<std::size_t>(layers, 2) - 1;
  return fmt::format("c{}", std::min(steps - 1, std::min<std::size_t>(layer, last) * (steps - 1) / last));
}

std::string HtmlPlace::layer_link(std::uint32_t layer) const {
  return fmt::format("<a class=\"layer\" href=\"#{}\"><i class=\"dot {}\"></i>layer {}</a>", layer_id(layer),
                     colour(layer), layer);
}

std::string html_image_parts(const ImageResult& result, const HtmlPlace& place) {
  std::string out = html_checks(result, place);
  std::vector<HtmlLayer> layers;
  const ImageSurvey* const survey = result.survey ? &*result.survey : nullptr;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    const LayerResult& layer = result.layers[i];
    layers.push_back({layer.name, layer.created_by, layer.compression, layer.unpacked_bytes, layer.stored_bytes,
                      survey != nullptr && i < survey->layers.size() ? &survey->layers[i] : nullptr});
  }
  HtmlLayerSums sums;
  if (survey != nullptr) sums = {survey->content_bytes, survey->hidden_bytes, survey->score, survey->hidden};
  out += html_layers(layers, survey != nullptr ? &sums : nullptr, place);
  if (survey != nullptr) out += html_map(*survey, place, true);
  return out + html_grounds(result);
}

std::string html_page(std::string_view title, const std::string& articles, std::string_view footer) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src {}; script-src {}; "
      "base-uri 'none'; form-action 'none'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"referrer\" content=\"no-referrer\"/>\n"
      "<meta name=\"generator\" content=\"ocilint {}\"/>\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<p class=\"skip\"><a href=\"#main\">Skip to the report</a></p>\n<main id=\"main\">\n{}</main>\n"
      "<footer>{} Nothing in this page was loaded from elsewhere.</footer>\n"
      "<script>{}</script>\n</body>\n</html>\n",
      source_of(html_style), source_of(html_script), OCILINT_VERSION, for_html(title), html_style, articles, footer,
      html_script);
}

std::string write_html(std::span<const ImageResult> results, const ReportStyle& style) {
  const ExitStatus status = verdict(results, style.fail_on, 1, 1);
  std::string body = overview(results, style);
  if (const std::string fixed = fixed_line(style); !fixed.empty())
    body += "<p class=\"waiver\">" + for_html(fixed) + "</p>\n";
  for (std::size_t i = 0; i < results.size(); ++i) body += image(results[i], style, fmt::format("i{}", i));
  const std::string name = results.empty()       ? "no image"
                           : results.size() == 1 ? image_name(results[0])
                                                 : fmt::format("{} images", results.size());
  return html_page(
      fmt::format("{}: {} · ocilint", word_of(status), name), body,
      fmt::format("ocilint {}. Exit status {}: {}.", OCILINT_VERSION, static_cast<int>(status), to_string(status)));
}

}  // namespace ocilint
