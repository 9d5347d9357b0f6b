#include "look/starter.h"

#include "base/path.h"
#include "facts/os_release.h"
#include "look/question.h"

namespace ocilint {
namespace {

void read_os_release(const ImageView& view, ImageTraits& out) {
  for (const std::string_view file : os_release_places) {
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
      for (const std::string_view file : os_release_places) needs.content("**/" + std::string(base_name(file)));
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
