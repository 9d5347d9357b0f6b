// Where the tests find what they read and what they run. The paths are compiled into one small unit, so that every
// other test object is the same in every checkout and a compiler cache serves them all.
#pragma once

namespace ocilint::test {

extern const char* const source_dir;   // the checkout, absolute
extern const char* const binary;       // the program, of the same build
extern const char* const apt_garbage;  // the oracle on apt's own library; empty where that was not built

}  // namespace ocilint::test
