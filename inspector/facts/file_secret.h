// What the search for secrets found in a file (facts/secret_scan.h). Values; the raw values must stay in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ocilint {

/// A secret of a file. The value is for ids and redaction, and must never be shown or stored.
struct FileSecret {
  std::uint64_t offset = 0;  // of the value
  std::uint64_t line = 0;    // from 1; 0: the file is not text up to there
  std::uint64_t length = 0;
  std::string detector;  // its id
  std::string name;      // of the variable or field that the value is given to, "" when there is none
  std::string value;
  std::string excerpt;      // of the lines that hold it, every value masked; "" when it is not text
  std::uint8_t blocks = 0;  // DocBlock kinds that it stands in, where the search saw the file from its beginning
};

struct FileSecrets {
  std::vector<FileSecret> kept;  // by offset; no two overlap
  std::uint64_t found = 0;       // kept or not
};

}  // namespace ocilint
