#include "source/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.h"
#include "oci/manifest.h"
#include "source/resuming_stream.h"

namespace ocilint {
namespace {

constexpr unsigned max_sign_ins = 2;  // for a challenge, and for a token that ended meanwhile

constexpr const char* manifest_types =
    "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, "
    "application/vnd.docker.distribution.manifest.v2+json";
constexpr std::size_t tags_of_a_page = 1000;  // asked for; a registry may send other numbers
constexpr std::size_t max_tags = 100'000;     // a day's build for 270 years
constexpr std::size_t max_tag_pages = 10'000;
constexpr const char* index_type = "application/vnd.oci.image.index.v1+json";

[[noreturn]] void refuse_status(const HttpReply& reply) {
  const long status = reply.status;
  if (status == 404 || status == 410)
    throw Error(ErrorKind::not_found, fmt::format("{}: the registry has no such thing ({})", reply.place, status));
  if (status == 401 || status == 403)
    throw Error(ErrorKind::auth, fmt::format("{}: reading is not allowed ({})", reply.place, status));
  // Said for good: asking again would bring the same.
  throw Error(ErrorKind::unsupported, fmt::format("{}: the registry answers {}", reply.place, status));
}

/// Content-Type without its parameters; "" for what says nothing.
std::string content_type(const HttpReply& reply) {
  std::string out = reply.header("content-type");
  out.erase(std::min(out.find(';'), out.size()));
  while (out.ends_with(' ')) out.pop_back();
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out == "application/json" || out == "application/octet-stream" || out.starts_with("text/plain") ? "" : out;
}

/// https, unless plain HTTP is allowed there and nobody speaks TLS.
Url find_address(const HttpClient& client, const RegistryName& name) {
  const Url secure = Url::parse("https://" + name.address() + "/v2/");
  if (!client.may_be_plain(secure.host)) return secure;
  Backoff backoff(client.settings());
  return client.speaks_tls(secure.text(), backoff) ? secure : Url::parse("http://" + name.address() + "/v2/");
}

/// Where the next page of a list is (RFC 8288, rel="next"); nullopt when this was the last.
std::optional<std::string> next_page(const HttpReply& reply) {
  for (const std::string& header : reply.all("link")) {
    for (std::size_t at = header.find('<'); at != std::string::npos; at = header.find('<', at)) {
      const std::size_t end = header.find('>', at);
      if (end == std::string::npos) break;
      const std::string target = header.substr(at + 1, end - at - 1);
      at = std::min(header.find(',', end), header.size());
      const std::string parameters = header.substr(end, at - end);
      if (parameters.find("rel=\"next\"") != std::string::npos || parameters.find("rel=next") != std::string::npos)
        return target;
    }
  }
  return std::nullopt;
}

Digest digest_of(const std::string& text, Algorithm algorithm) {
  Hasher hasher(algorithm);
  hasher.update(as_bytes(text));
  return hasher.finish();
}

}  // namespace

Registry::Registry(const RegistryName& name, const RegistryOptions& options)
    : name_(name),
      options_(options),
      client_(options_.http),
      address_(find_address(client_, name_)),
      base_(fmt::format("{}/v2/{}", address_.origin(), name_.repository)),
      auth_(client_, options_, address_, name_.host, name_.repository) {}

std::unique_ptr<HttpExchange> Registry::get(const std::string& path, const std::string& accept, std::uint64_t from,
                                            Backoff& backoff) const {
  for (unsigned sign_ins = 0;; ++sign_ins) {
    HttpRequest request;
    request.url = base_ + path;
    request.accept = accept;
    request.authorization = auth_.header();
    request.from = from;
    auto exchange = client_.open(request, backoff);
    const HttpReply& reply = exchange->reply();
    if (reply.status == 200 || (reply.status == 206 && from > 0)) return exchange;
    // A host that was redirected to has no say in who we are.
    if (reply.status != 401 || reply.elsewhere || sign_ins == max_sign_ins) refuse_status(reply);
    const HttpReply refused = reply;
    exchange->drain();
    exchange.reset();
    auth_.renew(refused, request.authorization);
  }
}

std::string Registry::document(const std::string& path, const std::string& accept, HttpReply& reply) const {
  Backoff backoff(client_.settings());
  for (;;) {
    const auto exchange = get(path, accept, 0, backoff);
    try {
      reply = exchange->reply();
      return exchange->text(max_document_size);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::network) throw;
      backoff.wait(error);
    }
  }
}

Registry::Root Registry::root() {
  Root out;
  HttpReply reply;
  out.text = document("/manifests/" + (name_.digest ? name_.digest->text() : name_.tag), manifest_types, reply);
  out.digest = digest_of(out.text, name_.digest ? name_.digest->algorithm() : Algorithm::sha256);
  if (name_.digest && out.digest != *name_.digest)
    corrupt(fmt::format("{}: what the registry sends has the digest {}", name_.text(), out.digest.text()));
  if (const std::string stated = reply.header("docker-content-digest"); !stated.empty()) {
    const Digest claimed = Digest::parse(stated);
    if (const Digest found = digest_of(out.text, claimed.algorithm()); found != claimed)
      corrupt(fmt::format("{}: the registry states the digest {}, what it sends has {}", name_.text(), claimed.text(),
                          found.text()));
  }
  const std::string sent_as = content_type(reply);
  const Json json = parse_json(out.text);
  const std::string stated = json_string(json, "mediaType");
  if (!sent_as.empty() && !stated.empty() && sent_as != stated)
    corrupt(fmt::format("{}: sent as '{}', but it says of itself '{}'", name_.text(), sent_as, stated));
  out.media_type = stated.empty() ? sent_as : stated;
  if (out.media_type.empty()) out.media_type = member(json, "manifests") != nullptr ? index_type : "";
  if (!out.media_type.empty() && !media_type::is_index(out.media_type) && !media_type::is_manifest(out.media_type))
    throw Error(ErrorKind::unsupported,
                fmt::format("{} is no image: its media type is '{}'", name_.text(), out.media_type));
  return out;
}

std::optional<StoredBlob> Registry::find(const Descriptor& descriptor, Kind kind) const {
  StoredBlob out;
  out.name = descriptor.digest.text();
  out.size = descriptor.size;
  const bool manifest = kind == Kind::manifest;
  const std::string path = (manifest ? "/manifests/" : "/blobs/") + out.name;
  out.remote = [this, path, manifest, size = descriptor.size]() -> std::unique_ptr<ByteStream> {
    const auto open = [this, path, manifest](std::uint64_t from, Backoff& backoff) {
      return get(path, manifest ? manifest_types : "", from, backoff);
    };
    return std::make_unique<ResumingStream>(client_.settings(), open, size);
  };
  return out;
}

std::vector<std::string> Registry::tags() const {
  const std::string list = "/tags/list";
  const std::string whole = Url::parse(base_ + list).path;
  std::vector<std::string> out;
  std::set<std::string> seen;
  std::string query = fmt::format("?n={}", tags_of_a_page);
  for (std::size_t pages = 0; pages < max_tag_pages; ++pages) {
    HttpReply reply;
    const Json json = parse_json(document(list + query, "application/json", reply));
    const Json* const tags = member(json, "tags");
    // A repository whose tags are all deleted has null.
    const std::vector<std::string> page =
        tags == nullptr || tags->is_null() ? std::vector<std::string>() : json_strings(json, "tags");
    std::size_t fresh = 0;
    for (const std::string& tag : page) {
      if (!RegistryName::is_tag(tag))
        corrupt(fmt::format("{}: the registry lists '{}', which is no tag", reply.place, tag));
      if (!seen.insert(tag).second) continue;
      if (out.size() == max_tags)
        throw Error(ErrorKind::limit, fmt::format("{} has more than {} tags", name_.image(), max_tags));
      out.push_back(tag);
      ++fresh;
    }
    if (const auto next = next_page(reply)) {
      // Only the query is the registry's to say: nothing else is asked of anybody.
      const Url url = Url::parse(base_ + list).at(*next);
      if (url.path != whole || url.query.empty())
        corrupt(fmt::format("{}: the next page of tags is said to be at {}", reply.place, url.shown()));
      if (fresh == 0)
        corrupt(fmt::format("{}: a page of tags brings none that is new, and there are said to be more", reply.place));
      query = "?" + url.query;
      continue;
    }
    // The last page is a short one, or one of everything by a registry that knows no pages. Else it is asked.
    if (page.size() < tags_of_a_page || fresh == 0) return out;
    query = fmt::format("?n={}&last={}", tags_of_a_page, page.back());
  }
  throw Error(ErrorKind::limit, fmt::format("{}: the tags are on more than {} pages", name_.image(), max_tag_pages));
}

std::optional<std::string> Registry::referrers(const Digest& manifest) const {
  const std::string digest = manifest.text();
  std::string tag = digest;
  std::ranges::replace(tag, ':', '-');
  for (const std::string& path : {"/referrers/" + digest, "/manifests/" + tag}) {
    HttpReply reply;
    try {
      std::string text = document(path, manifest_types, reply);
      // Registries that do not know the API answer with whatever they like.
      const std::string type = content_type(reply);
      if (media_type::is_index(type)) return text;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::not_found && error.kind() != ErrorKind::unsupported) throw;
    }
  }
  return std::nullopt;
}

}  // namespace ocilint
