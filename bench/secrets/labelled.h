// Cases that somebody has labelled, in a folder: one file a case, and labels.tsv with a row for each: its name, the
// group it is counted in, 1 for a secret or 0. More columns mean nothing here.
//
// Each is searched twice: as the content of a file of that name (`file-secrets`), and as a text that is published
// beside the files (`history-secrets`). Throws std::runtime_error for a row that is none and a file that cannot be
// read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ocilint::bench {

struct Labelled {
  enum class Said { nothing, sample, secret };

  std::string file, group;
  bool secret = false;
  Said as_file = Said::nothing, as_text = Said::nothing;
};

std::vector<Labelled> search_labelled(const std::filesystem::path& folder);

/// One table: how they were read, then counts, recall and precision; with `groups` a row for each group with a miss or
/// a false finding. What is reported as a sample counts as found, and on a harmless case as silent, in columns of its
/// own.
std::string labelled_table(const std::vector<Labelled>& cases, bool groups);

}  // namespace ocilint::bench
