#include "base/error.h"

namespace ocilint {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return "usage";
    case ErrorKind::policy: return "policy";
    case ErrorKind::not_found: return "not found";
    case ErrorKind::auth: return "auth";
    case ErrorKind::network: return "network";
    case ErrorKind::corrupt: return "corrupt";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::limit: return "limit";
    case ErrorKind::internal: return "internal";
  }
  return "internal";
}

void Error::within(std::string_view context) { text_.insert(0, std::string(context) + ": "); }

void corrupt(std::string message) { throw Error(ErrorKind::corrupt, std::move(message)); }

}  // namespace ocilint
