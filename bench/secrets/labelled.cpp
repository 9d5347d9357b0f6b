#include "secrets/labelled.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

#include "facts/credential_files.h"
#include "facts/secret_samples.h"
#include "facts/secret_scan.h"
#include "facts/secrets.h"

namespace ocilint::bench {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) throw std::runtime_error(file.string() + " cannot be read");
  return content;
}

Labelled::Said said_of_file(SecretScan& scan, const std::string& path, std::string_view content) {
  scan.begin(may_hold_credentials(path) ? SecretScope::credential_file : SecretScope::file);
  scan.add(as_bytes(content), true);
  Labelled::Said said = Labelled::Said::nothing;
  for (const FileSecret& secret : scan.take().kept) {
    if (!is_sample(path, secret)) return Labelled::Said::secret;
    said = Labelled::Said::sample;
  }
  return said;
}

struct Counts {
  std::size_t found = 0, as_sample = 0, missed = 0, wrong = 0, sample = 0, silent = 0;

  void add(bool secret, Labelled::Said said) {
    if (secret)
      ++(said == Labelled::Said::secret ? found : said == Labelled::Said::sample ? as_sample : missed);
    else
      ++(said == Labelled::Said::secret ? wrong : said == Labelled::Said::sample ? sample : silent);
  }
  std::string row(std::string_view name) const {
    const auto share = [](std::size_t part, std::size_t whole) {
      return whole == 0 ? std::string("-")
                        : fmt::format("{:.3f}", static_cast<double>(part) / static_cast<double>(whole));
    };
    const std::size_t hits = found + as_sample;
    return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, found, as_sample, missed, wrong,
                       sample, silent, share(hits, hits + missed), share(hits, hits + wrong));
  }
};

}  // namespace

std::vector<Labelled> search_labelled(const fs::path& folder) {
  std::vector<Labelled> out;
  const SecretScanner scanner{std::span<const ExtraDetector>{}};
  SecretScan scan(scanner);
  std::istringstream rows(content_of(folder / "labels.tsv"));
  for (std::string row; std::getline(rows, row);) {
    std::istringstream columns(row);
    Labelled one;
    std::string label;
    std::getline(columns, one.file, '\t');
    std::getline(columns, one.group, '\t');
    std::getline(columns, label, '\t');
    if (label != "0" && label != "1") throw std::runtime_error("labels.tsv: '" + row + "' is no row");
    one.secret = label == "1";
    const std::string content = content_of(folder / one.file);
    one.as_file = said_of_file(scan, "/" + one.file, content);
    if (!find_secrets_in_any_form(content, {}).empty()) one.as_text = Labelled::Said::secret;
    out.push_back(std::move(one));
  }
  return out;
}

std::string labelled_table(const std::vector<Labelled>& cases, bool groups) {
  std::string out =
      "| read as | found | as samples | missed | false | samples | silent | recall | precision |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& [name, said] :
       {std::pair<std::string, Labelled::Said Labelled::*>{"file", &Labelled::as_file}, {"text", &Labelled::as_text}}) {
    Counts all;
    std::map<std::string, Counts> by_group;
    for (const Labelled& one : cases) {
      all.add(one.secret, one.*said);
      by_group[one.group].add(one.secret, one.*said);
    }
    out += all.row(name);
    for (const auto& [group, counts] : by_group)
      if (groups && counts.missed + counts.wrong > 0) out += counts.row(name + ", " + group);
  }
  return out;
}

}  // namespace ocilint::bench
