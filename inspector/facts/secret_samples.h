// Credentials that are nobody's: those of tests, examples and documents, and values that were published with a
// library.
//
// They are found like others and reported apart, for nobody but their author can tell them from a real one. Pure;
// thread safe.
#pragma once

#include <string_view>

namespace ocilint {

/// Does the path say that the file is a test, an example or documentation?
bool is_sample_path(std::string_view path);

/// A key or token that everybody has with some public library.
bool is_published_value(std::string_view value);

}  // namespace ocilint
