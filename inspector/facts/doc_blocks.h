// Which places of a program's source stand in blocks of documentation: block comments, POD and Ruby's =begin,
// documentation strings.
//
// Nothing is parsed. Only what begins a line, after blanks, opens a block, so that a glob in a string or a text that is
// given to a variable is none; which kinds mean something is for whoever knows the language. Goes forward, one walk
// over the lines up to the last place that is asked for. Values of the caller's text; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ocilint {

/// Kinds of blocks, as bits.
struct DocBlock {
  enum Kind : std::uint8_t {
    comment = 1,  // /* … */
    pod = 2,      // =head1 … =cut, =begin … =end, from the first column
    string = 4,   // """ … """ and ''' … ''' that nothing is done with
  };
};

class DocBlocks {
 public:
  /// `text`: from the beginning of the file.
  explicit DocBlocks(std::string_view text) : text_(text), end_(text.find('\n')) {}

  /// The kinds that are open at this place. Places come in order.
  std::uint8_t open_at(std::size_t at);

 private:
  struct State {
    bool comment = false, pod = false;
    char quote = 0;  // of the string that is open
    bool documents = false;

    void read(std::string_view line);
    void read_quotes(std::string_view line);
    std::uint8_t kinds() const;
  };

  std::string_view text_;
  std::size_t line_ = 0;  // where the next line begins
  std::size_t end_;       // and ends
  State state_;           // before it
};

}  // namespace ocilint
