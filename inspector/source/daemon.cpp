// docker-daemon:NAME, an image of a container engine on this machine: what `docker save` would write, through the
// engine's socket (Docker Engine API, ImageGet), spooled and read as a docker-archive.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "source/http.h"
#include "source/transports.h"

namespace ocilint {
namespace {

/// Letters of image names, digests and IDs; they need no encoding in a path.
bool is_name(std::string_view text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) {
                               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                      std::string_view("._-/:@").find(static_cast<char>(c)) != std::string_view::npos;
                             }) &&
         text.find("..") == std::string_view::npos && !text.starts_with('/');
}

class Daemon final : public ImageStore {
 public:
  Daemon(const Reference& reference, std::unique_ptr<ImageStore> archive)
      : reference_(reference), archive_(std::move(archive)) {}

  Image resolve(const Selection& selection) override { return renamed(archive_->resolve(selection)); }
  Image resolve_listed(const ListedImage& image) override { return renamed(archive_->resolve_listed(image)); }
  std::vector<ListedImage> every() const override { return archive_->every(); }
  std::unique_ptr<ByteStream> open(const LayerSource& layer) const override { return archive_->open(layer); }
  std::uint64_t spooled() const override { return archive_->spooled(); }

 private:
  Image renamed(Image image) const {
    image.reference = reference_.text();
    return image;
  }

  Reference reference_;
  std::unique_ptr<ImageStore> archive_;
};

}  // namespace

std::unique_ptr<ImageStore> make_daemon(const Reference& reference, const RegistryOptions& options) {
  if (!is_name(reference.path))
    throw Error(ErrorKind::usage, fmt::format("{}: no name of an image and no ID", reference.text()));
  if (!options.engine.starts_with('/'))
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: engines are asked through a Unix socket, '{}' is none; docker save {} | … check -",
                            reference.text(), options.engine, reference.path));
  HttpSettings settings = options.http;
  settings.socket = options.engine;
  settings.certificates.clear();
  const HttpClient client(settings);
  Backoff backoff(client.settings());
  const HttpRequest request{.url = "http://localhost/images/" + reference.path + "/get"};
  try {
    const auto exchange = client.open(request, backoff);
    const long status = exchange->reply().status;
    if (status == 404)
      throw Error(ErrorKind::not_found, fmt::format("{}: the engine has no such image", reference.text()));
    if (status != 200)
      throw Error(ErrorKind::network, fmt::format("{}: the engine answers {}", reference.text(), status));
    Reference archive;
    archive.transport = Transport::docker_archive;
    archive.path = reference.path;
    return std::make_unique<Daemon>(reference, make_archive(archive, spool_stream(*exchange, reference.text())));
  } catch (Error& error) {
    if (error.kind() == ErrorKind::network) error.within("engine at " + options.engine);
    throw;
  }
}

}  // namespace ocilint
