// A question to the files of an image that is planned as a check is: declared, read, and asked until it settles.
//
// `plan` declares what the layers are read for, `question` sees the merged image and begins anew each time it is
// asked (look/ask.h). Throws what reading and ask() throw.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "check/image_view.h"
#include "check/rule.h"
#include "look/open_image.h"

namespace ocilint {

void ask_image(ReadImage& image, const RunOptions& options, const std::function<void(Plan&)>& plan,
               const std::function<void(const ImageView&)>& question);

/// The regular file behind a path as somebody wrote it, links followed. Error{usage} when there is none.
Resolution file_behind(const ImageView& view, std::string_view path);

/// `**/NAME` of what a path names: parents may be links. Nothing in NAME is a wildcard.
std::string glob_of_name(std::string_view path);

}  // namespace ocilint
