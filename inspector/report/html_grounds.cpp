#include <fmt/format.h>

#include "report/escape.h"
#include "report/html_parts.h"

namespace ocilint {
namespace {

std::string row(std::string_view what, std::uint64_t listed, std::uint64_t done) {
  return fmt::format("<tr{}><th scope=\"row\">{}</th><td class=\"num\">{}</td><td class=\"num\">{}</td></tr>\n",
                     listed == done ? "" : " class=\"hole\"", what, grouped(listed), grouped(done));
}

std::string ledger(const Ledger& ledger) {
  std::string out =
      "<div class=\"wide\"><table><caption>Counted, so that nothing is passed over</caption><thead><tr><th scope=\"col\">what</th><th scope=\"col\" class=\"num\">there</th>"
      "<th scope=\"col\" class=\"num\">looked at</th></tr></thead><tbody>\n";
  out += row("checks", ledger.checks_listed, ledger.checks_evaluated);
  if (ledger.layers_needed) {
    out += row("layers, verified to their digests", ledger.layers_listed, ledger.layers_verified);
    out += row("layers, read to their ends", ledger.layers_listed, ledger.layers_parsed);
    out += row("bytes of layers, hashed", ledger.blob_bytes_listed, ledger.blob_bytes_hashed);
  }
  for (const Coverage& coverage : ledger.covered) out += row(for_html(coverage.what), coverage.listed, coverage.done);
  return out + "</tbody></table></div>\n";
}

std::string gates(const ImageResult& result) {
  if (result.gates.empty()) return "";
  std::string out =
      "<div class=\"wide\"><table><caption>Gates: which checks concern this image</caption><thead><tr><th scope=\"col\">gate</th><th scope=\"col\">state</th><th scope=\"col\">because</th>"
      "<th scope=\"col\">policy</th></tr></thead><tbody>\n";
  for (const GateResult& gate : result.gates)
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>\n", for_html(gate.name),
                       for_html(gate.state), for_html(gate.text), for_html(gate.policy));
  return out + "</tbody></table></div>\n";
}

std::string policies(const ImageResult& result) {
  if (result.policies.empty()) return "";
  std::string out = "<ul class=\"policies\">\n";
  for (const PolicyResult& policy : result.policies) {
    out += fmt::format("<li><b>{}</b> {}", for_html(policy.name), for_html(policy.summary));
    for (const auto& [file, digest] : policy.sources)
      out += fmt::format("<br/><code>{}</code> <code class=\"digest\">{}</code>", for_html(file), for_html(digest));
    out += "</li>\n";
  }
  return out + "</ul>\n";
}

}  // namespace

std::string html_grounds(const ImageResult& result) {
  std::string out = "<section class=\"part grounds\">\n<h2>What the verdict rests on</h2>\n";
  return out + policies(result) + ledger(result.ledger) + gates(result) + "</section>\n";
}

}  // namespace ocilint
