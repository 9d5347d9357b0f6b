#include "source/curl_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"

namespace ocilint {
namespace {

constexpr const char* library_name = "libcurl.so.4";
// 7.85: the protocol lists as strings; 7.77 would do for the rest.
constexpr unsigned oldest_version = 0x075500;

[[noreturn]] void unusable(const std::string& why) {
  throw Error(ErrorKind::unsupported,
              fmt::format("registries and engines are read through libcurl, which cannot be used here: {}; on Debian "
                          "and Ubuntu install the package libcurl4",
                          why));
}

template <typename Function>
void bind(void* library, const char* name, Function& into) {
  into = reinterpret_cast<Function>(::dlsym(library, name));
  if (into == nullptr) unusable(fmt::format("{} has no {}", library_name, name));
}

CurlLibrary open_library() {
  void* const library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    unusable(why == nullptr ? "no reason given" : why);
  }
  CurlLibrary out;
  bind(library, "curl_easy_init", out.easy_init);
  bind(library, "curl_easy_cleanup", out.easy_cleanup);
  bind(library, "curl_easy_reset", out.easy_reset);
  bind(library, "curl_easy_setopt", out.easy_setopt);
  bind(library, "curl_easy_getinfo", out.easy_getinfo);
  bind(library, "curl_easy_pause", out.easy_pause);
  bind(library, "curl_easy_strerror", out.easy_strerror);
  bind(library, "curl_multi_init", out.multi_init);
  bind(library, "curl_multi_cleanup", out.multi_cleanup);
  bind(library, "curl_multi_add_handle", out.multi_add_handle);
  bind(library, "curl_multi_remove_handle", out.multi_remove_handle);
  bind(library, "curl_multi_perform", out.multi_perform);
  bind(library, "curl_multi_poll", out.multi_poll);
  bind(library, "curl_multi_info_read", out.multi_info_read);
  bind(library, "curl_slist_append", out.slist_append);
  bind(library, "curl_slist_free_all", out.slist_free_all);
  bind(library, "curl_url", out.url);
  bind(library, "curl_url_cleanup", out.url_cleanup);
  bind(library, "curl_url_set", out.url_set);
  bind(library, "curl_url_get", out.url_get);
  bind(library, "curl_free", out.free);
  decltype(&::curl_global_init) global_init = nullptr;
  decltype(&::curl_version_info) version_info = nullptr;
  bind(library, "curl_global_init", global_init);
  bind(library, "curl_version_info", version_info);
  if (global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) unusable("it does not start");
  const curl_version_info_data* const version = version_info(CURLVERSION_NOW);
  if (version->version_num < oldest_version) unusable(fmt::format("version {} is older than 7.85", version->version));
  return out;
}

}  // namespace

const CurlLibrary& CurlLibrary::load() {
  static const CurlLibrary library = open_library();
  return library;
}

}  // namespace ocilint
