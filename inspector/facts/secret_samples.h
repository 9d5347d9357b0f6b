// Credentials that are nobody's: those of tests, examples and documents, and values that were published with a
// library.
//
// They are found like others and reported apart, for nobody but their author can tell them from a real one. Pure;
// thread safe; bounded by the lengths that are given.
#pragma once

#include <string_view>

#include "facts/file_secret.h"

namespace ocilint {

/// Does the path say that the file is a test, an example or documentation?
bool is_sample_path(std::string_view path);

/// A key or token that everybody has with some public library.
bool is_published_value(std::string_view value);

/// By its path, its value, what its excerpt shows before it (`e.g. …`, `"example": …`, a mask where a signed address
/// says whose it is), or, an address or a signed token, since it stands in a comment of a program's source, in a block
/// of documentation there (facts/doc_blocks.h), or its password is a short word. Never in a file in which credentials
/// are kept; a private key is one wherever it stands, unless its path says otherwise.
bool is_sample(std::string_view path, const FileSecret& secret);

}  // namespace ocilint
