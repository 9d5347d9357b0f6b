// History lines, attestations and any other text: what is found lies in the text, in order, disjoint, the same every
// time, and nothing of it is left where it was masked.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "check/document_texts.h"
#include "facts/secret_values.h"

namespace {

using namespace ocilint;

void verify(std::string_view text, const std::vector<SecretHit>& hits) {
  std::size_t at = 0;
  for (const SecretHit& hit : hits) {
    if (hit.begin < at || hit.end <= hit.begin || hit.end > text.size() || hit.detector.empty()) std::abort();
    at = hit.end;
  }
  std::size_t kept = text.size();
  for (const SecretHit& hit : hits) kept -= hit.end - hit.begin;
  std::size_t marks = 0;
  for (const SecretHit& hit : hits) marks += secret_mark(hit.end - hit.begin).size();
  if (masked(text, hits).size() != kept + marks) std::abort();
}

void search(std::string_view text) {
  const SecretQuery query{{"SCCACHE_DOWNLOAD_URL"}, {"ALLOWED_TOKEN"}};
  for (const TextForm form : {TextForm::history, TextForm::words}) {
    const std::vector<SecretHit> hits = find_secrets(text, query, form);
    verify(text, hits);
    if (find_secrets(text, query, form).size() != hits.size()) std::abort();
  }
  verify(text, find_secrets_in_value("build-arg:NPM_TOKEN", text, query));
  for (const SecretScope scope : {SecretScope::file, SecretScope::credential_file})
    for (const ShapeHit& hit : DetectorSet::standard().scan(text, scope))
      if (hit.begin >= hit.end || hit.end > text.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  search(text);
  Image image;
  image.documents = {{Document::Kind::attestation, "a", text}, {Document::Kind::config, "c", text}};
  const DocumentTexts documents = texts_of(image);
  // A document that cannot be read is said to be unread, never left out.
  if (documents.listed != 2 || documents.scanned > documents.listed) std::abort();
  if ((documents.scanned == documents.listed) != documents.unread.empty()) std::abort();
  for (const DocumentText& found : documents.texts) verify(found.text, find_secrets(found, {}));
  return 0;
}
