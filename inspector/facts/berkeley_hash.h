// The records of a hash database of Berkeley DB, as rpm before release 4.16 keeps its packages in.
//
// Pages of one size; the first says which. A page of buckets holds pairs of key and value, each in the page itself or
// in a chain of overflow pages. Pages are taken in their order, not by bucket: every record once. Error{corrupt}: no
// such database, a reference beyond it, a chain that is shorter or longer than its length. Error{unsupported}: a tree,
// an encrypted one, one with checksums, several values of one key. Error{limit}: limits.h. Any thread. Cost: one pass.
#pragma once

#include <functional>

#include "base/bytes.h"

namespace ocilint {

bool is_berkeley(Bytes bytes);

/// The views live as long as the call.
void read_berkeley_hash(Bytes database, const std::function<void(Bytes key, Bytes value)>& record);

}  // namespace ocilint
