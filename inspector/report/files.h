// `ocilint ls`, `find`, `stat` and `cat` as text and JSON. Pure.
#pragma once

#include <string>

#include "look/cat.h"
#include "look/stat.h"
#include "report/look_head.h"

namespace ocilint {

/// `details`: mode, owner, size, time and layer before each name, as ls -l has them. `full`: whole paths.
std::string write_files_text(const FileList& files, const LookStyle& style, bool details, bool full);
std::string write_files_json(const FileList& files, std::string_view verb);

std::string write_stat_text(const FileStory& story, const LookStyle& style);
std::string write_stat_json(const FileStory& story);

/// For a terminal: a line of the file is a line, everything that would act on a terminal or a log is escaped.
std::string write_content_text(const FileContent& content);
std::string write_content_json(const FileContent& content);

/// "-rwsr-xr-x"
std::string mode_letters(EntryType type, std::uint32_t mode);
/// "2024-01-02 03:04:05", in UTC
std::string time_text(std::int64_t seconds);

}  // namespace ocilint
