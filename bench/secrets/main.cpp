// bench_secrets [--seed N] [--rounds N] [--list] [--write FOLDER [--decoded]]
// bench_secrets --corpus FOLDER [--list | --rows]
//
// Makes the corpus, searches it as history-secrets does, and prints recall and precision; --list names every group
// and surface with a miss or a false finding, without the values. --write puts each case in a file of its own beside
// labels.tsv (file, group, 1 for a secret, surface, 1 when it was found here), so that another program can be run on
// the same lines (secrets/side_by_side.py does); --decoded writes the texts that are in a document instead, decoded, a
// line each, for programs that know nothing of builders. The values are random, but delete the folder when done: it
// looks like what it is made to look like.
//
// --corpus scores the cases that others have labelled (secrets/labelled.h): one file a case, and labels.tsv. --rows
// prints a row a case: file, group, label, what was said of it as a file and as a text.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>

#include "check/document_texts.h"
#include "secrets/corpus.h"
#include "secrets/labelled.h"

namespace {

using namespace ocilint;
using namespace ocilint::bench;

struct Score {
  std::size_t found = 0, missed = 0, false_found = 0, silent = 0;

  void add(const Score& other) {
    found += other.found;
    missed += other.missed;
    false_found += other.false_found;
    silent += other.silent;
  }
  double recall() const { return found + missed == 0 ? 1 : double(found) / double(found + missed); }
  double precision() const { return found + false_found == 0 ? 1 : double(found) / double(found + false_found); }
};

/// A hit is of the planted value when one holds the other: a pair may take in what stands around a token.
bool is_of(std::string_view hit, std::string_view value) {
  return hit.find(value) != std::string_view::npos || (value.find(hit) != std::string_view::npos && hit.size() >= 8);
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {  // as many as there are levels of escapes
      while (i + 1 < text.size() && text[i + 1] == '\\') ++i;
      if (i + 1 < text.size() && text[i + 1] == 'n') ++i;
    } else if (text[i] != '\n') {
      out += text[i];
    }
  }
  return out;
}

Score score_of(const Case& one) {
  Image image;
  image.documents = {one.document};
  const DocumentTexts documents = texts_of(image);
  if (documents.listed != documents.scanned) throw std::runtime_error("a document that cannot be read");
  bool found = false, other = false;
  for (const DocumentText& text : documents.texts)
    for (const SecretHit& hit : find_secrets(text, {})) {
      const bool planted = !one.value.empty() && is_of(unescaped(hit.value), unescaped(one.value));
      (planted ? found : other) = true;
    }
  Score score;
  if (one.value.empty()) {
    (other ? score.false_found : score.silent) = 1;
  } else {
    (found ? score.found : score.missed) = 1;
    score.false_found = other && !found;
  }
  return score;
}

std::string decoded(const Document& document) {
  Image image;
  image.documents = {document};
  std::string out;
  for (const DocumentText& text : texts_of(image).texts)
    out += (text.name.empty() ? "" : text.name + "=") + text.text + "\n";
  return out;
}

void write(const std::vector<Case>& corpus, const std::filesystem::path& folder, bool texts) {
  std::filesystem::create_directories(folder);
  std::ofstream labels(folder / "labels.tsv");
  for (std::size_t i = 0; i < corpus.size(); ++i) {
    const Case& one = corpus[i];
    const std::string name = fmt::format("{:06}.{}", i, texts ? "txt" : "json");
    std::ofstream(folder / name) << (texts ? decoded(one.document) : one.document.text);
    const Score score = score_of(one);
    labels << fmt::format("{}\t{}\t{:d}\t{}\t{:d}\n", name, one.group, !one.value.empty(), one.surface,
                          score.found + score.false_found > 0);
  }
  if (!labels.flush()) throw std::runtime_error("the folder cannot be written");
}

int score_labelled(const std::string& folder, bool list, bool rows) {
  const std::vector<Labelled> cases = search_labelled(folder);
  constexpr std::string_view words[] = {"nothing", "sample", "secret"};
  const auto word = [&](Labelled::Said said) { return words[static_cast<std::size_t>(said)]; };
  if (rows)
    for (const Labelled& one : cases)
      std::cout << fmt::format("{}\t{}\t{:d}\t{}\t{}\n", one.file, one.group, one.secret, word(one.as_file),
                               word(one.as_text));
  else
    std::cout << labelled_table(cases, list);
  return 0;
}

int run(int argc, char** argv) {
  std::uint64_t seed = 1;
  unsigned rounds = 1;
  bool list = false, texts = false, rows = false;
  std::string folder, labelled;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&] { return std::string(i + 1 < argc ? argv[++i] : ""); };
    if (option == "--seed") {
      seed = std::stoull(value());
    } else if (option == "--rounds") {
      rounds = static_cast<unsigned>(std::stoul(value()));
    } else if (option == "--write") {
      folder = value();
    } else if (option == "--corpus") {
      labelled = value();
    } else if (option == "--rows") {
      rows = true;
    } else if (option == "--decoded") {
      texts = true;
    } else if (option == "--list") {
      list = true;
    } else {
      std::cerr << "bench_secrets [--seed N] [--rounds N] [--list] [--write FOLDER [--decoded]]\n"
                   "bench_secrets --corpus FOLDER [--list | --rows]\n";
      return 2;
    }
  }
  if (!labelled.empty()) return score_labelled(labelled, list, rows);
  const std::vector<Case> corpus = make_corpus(seed, rounds);
  if (!folder.empty()) write(corpus, folder, texts);
  Score all;
  std::map<std::string, Score> by_group, by_surface;
  std::map<std::pair<std::string, std::string>, Score> bad;
  for (const Case& one : corpus) {
    const Score score = score_of(one);
    all.add(score);
    by_group[one.group].add(score);
    by_surface[std::string(one.surface)].add(score);
    if (score.missed + score.false_found > 0) bad[{one.group, std::string(one.surface)}].add(score);
  }
  for (const auto* const table : {&by_group, &by_surface})
    for (const auto& [name, score] : *table)
      if (score.missed + score.false_found > 0)
        std::cout << fmt::format("{:<45} found {:>5}  missed {:>4}  false {:>4}\n", name, score.found, score.missed,
                                 score.false_found);
  if (list)
    for (const auto& [where, score] : bad)
      std::cout << fmt::format("  {} | {}: {}\n", where.first, where.second, score.missed > 0 ? "missed" : "false");
  std::cout << fmt::format("seed {}: {} lines, {} with a secret\n", seed, corpus.size(), all.found + all.missed);
  std::cout << fmt::format("recall {:.4f} ({} of {})  precision {:.4f} ({} false)\n", all.recall(), all.found,
                           all.found + all.missed, all.precision(), all.false_found);
  return all.recall() >= 0.98 && all.precision() >= 0.98 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "bench_secrets: " << error.what() << "\n";
    return 2;
  }
}
