// The one exception type of the program.
//
// Thrown by every stage; caught at five seams only: a layer worker (the first error cancels the others), a
// fact parser (a malformed file becomes a fact), a rule's check (outcome `error`), an image of a run (one that cannot
// be read hides no other) and main (exit status).
// Context is added on the way up, innermost first: "entry opt/x", "layer 3 sha256:…". Expected absence is
// std::optional, not an Error. The text may hold bytes of the image: whoever shows it escapes it.
#pragma once

#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace ocilint {

enum class ErrorKind {
  usage,        // the command line is wrong
  policy,       // a policy is wrong
  not_found,    // what the reference names does not exist
  auth,         // a registry refused the credentials
  network,      // a registry could not be reached or misbehaved
  corrupt,      // the image is not what it claims to be
  unsupported,  // legal perhaps, but not readable here
  limit,        // a named limit was hit
  internal,     // a broken invariant of the program
};

std::string_view to_string(ErrorKind);

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), text_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  const char* what() const noexcept override { return text_.c_str(); }

  /// Puts where it happened before the message: `catch (Error& e) { e.within("layer 3"); throw; }`.
  void within(std::string_view context);

 private:
  ErrorKind kind_;
  std::string text_;
};

/// What a step threw, nullopt when it came to its end; what is no Error is Error{internal}. Lets bad_alloc pass.
template <typename Step>
std::optional<Error> failure_of(Step&& step) {
  try {
    step();
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return Error(ErrorKind::internal, error.what());
  }
  return std::nullopt;
}

/// Throws Error{corrupt}. Out of line, so that parsers stay small.
[[noreturn]] void corrupt(std::string message);

}  // namespace ocilint
