#include "look/starter.h"

#include "facts/os_release.h"
#include "look/question.h"

namespace ocilint {
namespace {

constexpr const char* os_release_files[] = {"/etc/os-release", "/usr/lib/os-release"};

void read_os_release(const ImageView& view, ImageTraits& out) {
  for (const char* const file : os_release_files) {
    if (!view.resolve(file).found()) continue;
    const OsRelease release = OsRelease::parse(view.text_of(file).value_or(""));
    out.os_id = release.find("ID").value_or("");
    out.os_version = release.version_id();
    return;
  }
}

}  // namespace

ImageTraits look_for_starter(const RunOptions& options) {
  ImageTraits out;
  with_image(options, [&](ReadImage& image, const RedactText& redact) {
    const auto plan = [](Plan& needs) {
      needs.tree();
      for (const char* const file : os_release_files) needs.content(std::string("**/") + (file + std::string_view(file).rfind('/') + 1));
    };
    ask_image(image, options, plan, [&](const ImageView& view) {
      out = {};
      read_os_release(view, out);
      out.dpkg_database = view.resolve("/var/lib/dpkg/status").found();
      out.dpkg = view.resolve("/usr/bin/dpkg").found();
      for (const char* const folder : {"**/site-packages/*.dist-info", "**/dist-packages/*.dist-info"})
        out.python = out.python || !match(view.tree(), Glob::parse(folder)).empty();
      out.program = !view.config().entrypoint.empty() || !view.config().cmd.empty();
    });
    out.image = describe_image(options, image.image(), redact);
    for (std::string* const text : {&out.os_id, &out.os_version}) redact(*text);
  });
  return out;
}

}  // namespace ocilint
