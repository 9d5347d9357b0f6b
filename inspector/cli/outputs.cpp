#include "cli/outputs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/error.h"
#include "base/nearest.h"
#include "cli/terminal.h"
#include "report/escape.h"

namespace ocilint::cli {
namespace {

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// A device or pipe cannot be replaced; it is written as it is.
bool write_in_place(const std::string& file, std::string_view text) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, text);
  return ::close(descriptor) == 0 && written;
}

bool write_file(const std::string& file, std::string_view text) {
  if (::access(file.c_str(), F_OK) == 0) {
    const int probe = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    const bool regular = probe >= 0 && ::lseek(probe, 0, SEEK_END) >= 0 && ::ftruncate(probe, 0) == 0;
    const int why = errno;
    if (probe >= 0) ::close(probe);
    errno = why;
    if (probe < 0) return false;
    if (!regular) return write_in_place(file, text);
  }
  std::string beside = file + ".XXXXXX";
  const int descriptor = ::mkostemp(beside.data(), O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool written = write_all(descriptor, text) && ::fchmod(descriptor, 0644) == 0 && ::fsync(descriptor) == 0;
  const bool closed = ::close(descriptor) == 0;
  if (written && closed && std::rename(beside.c_str(), file.c_str()) == 0) return true;
  const int why = errno;
  ::unlink(beside.c_str());
  errno = why;
  return false;
}

}  // namespace

Output Output::parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  Output output{find_format(name), equals == std::string::npos ? "" : text.substr(equals + 1)};
  if (output.format == nullptr) {
    std::vector<std::string> names;
    for (const Format& format : formats()) names.emplace_back(format.name);
    throw Error(ErrorKind::usage, "-o " + text + ": no format of that name" + did_you_mean(name, names));
  }
  return output;
}

std::size_t write_reports(const std::vector<Output>& outputs, std::span<const ImageResult> results,
                          const ReportStyle& style) {
  std::size_t closed = 0;
  for (const Output& output : outputs) {
    const bool to_file = !output.file.empty() && output.file != "-";
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
