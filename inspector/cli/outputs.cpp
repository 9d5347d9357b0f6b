#include "cli/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <set>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/interrupt.h"
#include "cli/terminal.h"
#include "report/escape.h"

namespace ocilint::cli {
namespace {

/// A device or pipe cannot be replaced; it is written as it is.
bool write_in_place(const std::string& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, text);
  return ::close(descriptor) == 0 && written;
}

mode_t usual_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

bool is_standard_output(const struct stat& file) {
  struct stat out {};
  return ::fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == file.st_dev && out.st_ino == file.st_ino;
}

}  // namespace

bool write_file(const std::string& named, std::string_view text) {
  struct stat old {};
  const bool exists = ::stat(named.c_str(), &old) == 0;
  if (!exists && errno != ENOENT) return false;
  if (exists && is_standard_output(old)) return write_output(text);
  if (exists && !S_ISREG(old.st_mode)) return write_in_place(named, text);
  if (exists && ::access(named.c_str(), W_OK) != 0) return false;

  // A link keeps leading to its file.
  std::error_code failed;
  const std::string file = exists ? std::filesystem::canonical(named, failed).string() : named;
  if (failed) {
    errno = failed.value();
    return false;
  }
  std::string beside = file + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return false;
  remove_on_signal(beside);
  const mode_t mode = exists ? old.st_mode & 07777 : usual_mode();
  bool written = write_all(descriptor, text) && ::fchmod(descriptor, mode) == 0 && ::fsync(descriptor) == 0;
  int why = errno;
  if (::close(descriptor) != 0 && written) {
    written = false;
    why = errno;
  }
  const bool renamed = written && std::rename(beside.c_str(), file.c_str()) == 0;
  if (written) why = errno;
  if (!renamed) ::unlink(beside.c_str());
  remove_on_signal("");
  if (renamed) return true;
  errno = why;
  return false;
}

Output Output::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  Output output{find_format(name), equals == std::string::npos ? "" : text.substr(equals + 1)};
  if (output.format == nullptr) {
    std::vector<std::string> names;
    for (const Format& format : formats()) names.emplace_back(format.name);
    throw Error(ErrorKind::usage, "-o " + text + ": no format of that name" + did_you_mean(name, names));
  }
  if (equals != std::string::npos && output.file.empty())
    throw Error(ErrorKind::usage, "-o " + text + ": the name of the file is missing");
  if (output.file == "-") output.file.clear();
  return output;
}

std::vector<Output> parse_outputs(const std::vector<std::string>& texts) {
  std::vector<Output> outputs;
  std::set<std::string> files;
  for (const std::string& text : texts) {
    const Output& output = outputs.emplace_back(Output::parse(text));
    if (!files.insert(output.file).second)
      throw Error(ErrorKind::usage, "-o " + text + ": another report goes " +
                                        (output.file.empty() ? "to standard output" : "to that file") + " already");
  }
  if (outputs.empty()) outputs.push_back(Output::parse("text"));
  return outputs;
}

int print(const std::string& text) {
  return static_cast<int>(write_output(text) ? ExitStatus::good : ExitStatus::untrusted);
}

void write_new(const std::string& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST)
    throw Error(ErrorKind::usage, file + " is there already; it is not overwritten");
  if (descriptor < 0) throw Error(ErrorKind::usage, file + ": " + std::strerror(errno));
  const bool written = write_all(descriptor, text);
  if (::close(descriptor) == 0 && written) return;
  const int why = errno;
  ::unlink(file.c_str());
  throw Error(ErrorKind::usage, file + ": " + std::strerror(why));
}

bool write_trusted(const std::string& file, const char* what, const std::optional<std::string>& text) {
  bool done = false;
  if (text) {
    done = write_file(file, *text);
  } else {
    struct stat old {};
    const bool stale = ::stat(file.c_str(), &old) == 0 && S_ISREG(old.st_mode);
    done = !stale || ::unlink(file.c_str()) == 0;
  }
  if (!done)
    std::cerr << "ocilint: the " << what << " " << for_terminal(file) << " could not be "
              << (text ? "written" : "removed") << ": " << std::strerror(errno) << "\n";
  return done;
}

std::string digests(std::span<const ImageResult> results) {
  std::string text;
  for (const ImageResult& result : results) text += result.manifest_digest + "\n";
  return text;
}

std::size_t write_reports(const std::vector<Output>& outputs, std::span<const ImageResult> results,
                          const ReportStyle& style) {
  std::size_t closed = 0;
  for (const Output& output : outputs) {
    const bool to_file = !output.file.empty();
    ReportStyle own = style;
    if (to_file) own.color = false;
    const std::string text = output.format->write(results, own);
    const bool done = to_file ? write_file(output.file, text) : write_output(text);
    if (done)
      ++closed;
    else
      std::cerr << "ocilint: the report " << for_terminal(to_file ? output.file : "on standard output")
                << " could not be written: " << std::strerror(errno) << "\n";
  }
  return closed;
}

}  // namespace ocilint::cli
