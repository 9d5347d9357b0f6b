#include "tar/special.h"

#include <fmt/format.h>

#include "base/error.h"

namespace ocilint::tar {

void SpecialHeaders::begin(char type, std::uint64_t size) {
  if (++headers_ > max_special_headers)
    throw Error(ErrorKind::limit, fmt::format("more than {} extended headers in a row", max_special_headers));
  if (size > max_special_bytes - bytes_)
    throw Error(ErrorKind::limit,
                fmt::format("the extended headers of one entry have more than {} bytes", max_special_bytes));
  bytes_ += size;
  type_ = type;
  body_ = type == 'x' ? &pax_body_ : type == 'g' ? &global_body_ : type == 'L' ? &long_name_ : &long_link_;
  body_->clear();
  if (type == 'x') pax_.clear();  // its views point into the old body
}

bool SpecialHeaders::finish() {
  switch (type_) {
    case 'x': pax_.parse(pax_body_); break;
    case 'g': global_.parse(global_body_); return global_.more_than_comment;
    default: body_->resize(std::string_view(*body_).substr(0, body_->find('\0')).size());
  }
  pending_ = true;
  return false;
}

void SpecialHeaders::clear() {
  if (headers_ == 0) return;
  headers_ = 0;
  bytes_ = 0;
  drop();
}

void SpecialHeaders::drop() {
  if (!pending_) return;
  pending_ = false;
  pax_body_.clear();
  pax_.clear();
  long_name_.clear();
  long_link_.clear();
}

}  // namespace ocilint::tar
