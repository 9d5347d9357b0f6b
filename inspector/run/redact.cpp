#include "run/redact.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "check/document_texts.h"

namespace ocilint {
namespace {

constexpr std::size_t shortest = 6;  // bytes of a value that is looked for without its name

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

std::string percent_encoded(std::string_view text, const char* format) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      out += fmt::format(fmt::runtime(format), static_cast<unsigned char>(c));
    }
  }
  return out;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? hex_value(text[i + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[i + 2]) : -1;
    if (low < 0) {
      out += text[i];
      continue;
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

/// Texts to be replaced, found by their first bytes in one pass.
class Values {
 public:
  void add(std::string_view value) {
    for (std::string spelling : {std::string(value), percent_decoded(value), percent_encoded(value, "%{:02X}"),
                                 percent_encoded(value, "%{:02x}"), escaped(value)})
      if (spelling.size() >= shortest) all_.insert(std::move(spelling));
  }

  void freeze() {
    for (const std::string& value : all_) by_start_[value.substr(0, shortest)].push_back(&value);
    for (auto& [start, values] : by_start_)
      std::ranges::sort(values, std::ranges::greater(), [](const std::string* value) { return value->size(); });
  }

  void find_in(std::string_view text, std::vector<SecretHit>& hits) const {
    if (by_start_.empty() || text.size() < shortest) return;
    std::string start;
    for (std::size_t i = 0; i + shortest <= text.size(); ++i) {
      start.assign(text, i, shortest);
      const auto found = by_start_.find(start);
      if (found == by_start_.end()) continue;
      for (const std::string* const value : found->second) {
        if (!text.substr(i).starts_with(*value)) continue;
        hits.push_back({i, i + value->size(), {}, {}, {}});
        break;
      }
    }
  }

 private:
  std::set<std::string> all_;
  std::unordered_map<std::string, std::vector<const std::string*>> by_start_;
};

class Redactor {
 public:
  Redactor(const Image& image, std::vector<std::string> never) : query_{std::move(never), {}} {
    for (const DocumentText& text : texts_of(image).texts) {
      for (const SecretHit& hit : find_secrets(text, query_)) {
        values_.add(hit.value);
        values_.add(std::string_view(text.text).substr(hit.begin, hit.end - hit.begin));
      }
    }
    values_.freeze();
  }

  void operator()(std::string& text) const {
    std::vector<SecretHit> hits;
    values_.find_in(text, hits);
    for (const TextForm form : {TextForm::history, TextForm::words}) {
      std::vector<SecretHit> shaped = find_secrets(text, query_, form);
      hits.insert(hits.end(), std::make_move_iterator(shaped.begin()), std::make_move_iterator(shaped.end()));
    }
    if (hits.empty()) return;
    std::ranges::sort(hits, {}, &SecretHit::begin);
    std::vector<SecretHit> spans;
    for (SecretHit& hit : hits) {
      if (!spans.empty() && hit.begin < spans.back().end) {
        spans.back().end = std::max(spans.back().end, hit.end);
      } else {
        spans.push_back(std::move(hit));
      }
    }
    text = masked(text, spans);
  }

  void operator()(std::vector<std::string>& texts) const {
    for (std::string& text : texts) (*this)(text);
  }

  void operator()(ReportedFinding& reported) const {
    (*this)(reported.finding.subject);
    (*this)(reported.finding.message);
    (*this)(reported.finding.details);
    (*this)(reported.finding.remedy);
    (*this)(reported.layer_name);
    (*this)(reported.created_by);
  }

 private:
  SecretQuery query_;
  Values values_;
};

/// Variables that a policy forbids and the image has: whatever their values look like, they are secrets.
std::vector<std::string> names_found(const ImageResult& result) {
  std::set<std::string> names;
  for (const CheckResult& check : result.checks)
    for (const ReportedFinding& reported : check.findings)
      if (check.rule == "history-secrets" && reported.finding.kind == "never") names.insert(reported.finding.subject);
  return {names.begin(), names.end()};
}

}  // namespace

void redact(ImageResult& result, const Image& image) {
  const Redactor redact_text(image, names_found(result));
  redact_text(result.reference);
  redact_text(result.full_reference);
  redact_text(result.platform);
  for (LayerResult& layer : result.layers) {
    redact_text(layer.name);
    redact_text(layer.created_by);
  }
  for (GateResult& gate : result.gates) redact_text(gate.text);
  for (CheckResult& check : result.checks) {
    for (ReportedFinding& finding : check.findings) redact_text(finding);
    for (Evidence& evidence : check.evidence) {
      redact_text(evidence.text);
      redact_text(evidence.path);
    }
    redact_text(check.errors);
    redact_text(check.reason);
    redact_text(check.why);
  }
  redact_text(result.unused_waivers);
  for (Coverage& coverage : result.ledger.covered) redact_text(coverage.what);
}

}  // namespace ocilint
