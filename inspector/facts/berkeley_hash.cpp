#include "facts/berkeley_hash.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "facts/limits.h"

namespace ocilint {
namespace {

constexpr std::uint32_t hash_magic = 0x061561, tree_magic = 0x053162;
constexpr std::size_t page_header = 26, off_page_item = 12;
constexpr std::uint8_t checksums = 1;  // of metaflags
enum PageType : std::uint8_t { unsorted_hash = 2, overflow = 7, sorted_hash = 13 };
enum ItemType : std::uint8_t { key_data = 1, off_page = 3 };

std::uint32_t magic_of(Bytes bytes, Endian endian) {
  Cursor in(bytes, endian);
  in.seek(12);
  return in.u32();
}

struct Page {
  std::uint32_t next = 0;
  std::uint16_t entries = 0, free_from = 0;
  std::uint8_t type = 0;
  Bytes bytes;
};

class HashReader {
 public:
  explicit HashReader(Bytes database) : bytes_(database) {
    endian_ = magic_of(database, Endian::little) == hash_magic ? Endian::little : Endian::big;
    Cursor meta(database, endian_);
    meta.seek(20);
    page_size_ = meta.u32();
    if (meta.u8() != 0) throw Error(ErrorKind::unsupported, "an encrypted Berkeley DB");
    meta.skip(1);  // the type of the page
    if ((meta.u8() & checksums) != 0) throw Error(ErrorKind::unsupported, "a Berkeley DB with checksums");
    meta.seek(32);
    const std::uint64_t last = meta.u32();
    if (page_size_ < 512 || page_size_ > 65'536 || (page_size_ & (page_size_ - 1)) != 0)
      corrupt("a Berkeley DB with an odd size of pages");
    pages_ = last + 1;
    if (pages_ > database.size() / page_size_) corrupt("a Berkeley DB that is shorter than it says");
  }

  void read(const std::function<void(Bytes, Bytes)>& record) {
    for (std::uint64_t number = 1; number < pages_; ++number) {
      const Page page = page_at(number);
      if (page.type != unsorted_hash && page.type != sorted_hash) continue;
      if (page.entries % 2 != 0) corrupt(fmt::format("page {} of a Berkeley DB has a key without a value", number));
      Cursor offsets(page.bytes, endian_);
      offsets.seek(page_header);
      std::size_t end = page_size_;  // items lie from the end of the page towards its begin
      for (std::uint16_t i = 0; i < page.entries; i = static_cast<std::uint16_t>(i + 2)) {
        const Bytes key = item(page, offsets.u16(), end, key_);
        const Bytes value = item(page, offsets.u16(), end, value_);
        record(key, value);
      }
    }
  }

 private:
  Page page_at(std::uint64_t number) const {
    if (number >= pages_) corrupt(fmt::format("a Berkeley DB has no page {}", number));
    Page page;
    page.bytes = bytes_.subspan(number * page_size_, page_size_);
    Cursor in(page.bytes, endian_);
    in.seek(16);
    page.next = in.u32();
    page.entries = in.u16();
    page.free_from = in.u16();
    in.skip(1);
    page.type = in.u8();
    return page;
  }

  /// `end` is where the item before begins, and then where this one does.
  Bytes item(const Page& page, std::size_t offset, std::size_t& end, std::string& chain) {
    const std::size_t after = end;
    if (offset < page_header || offset >= after) corrupt("an item of a Berkeley DB outside of its page");
    end = offset;
    const Bytes whole = page.bytes.subspan(offset, after - offset);
    if (whole[0] == key_data) return whole.subspan(1);
    if (whole[0] != off_page)
      throw Error(ErrorKind::unsupported, fmt::format("a Berkeley DB with items of kind {}", whole[0]));
    if (whole.size() < off_page_item) corrupt("an item of a Berkeley DB that is too short");
    Cursor in(whole, endian_);
    in.skip(4);
    const std::uint32_t first = in.u32(), length = in.u32();
    read_chain(first, length, chain);
    return as_bytes(chain);
  }

  void read_chain(std::uint64_t number, std::uint64_t length, std::string& out) {
    out.clear();
    if (length > rpm_header_bytes) throw Error(ErrorKind::limit, "a value of a Berkeley DB that is too large");
    while (number != 0) {
      // Each page belongs to one value.
      if (++chained_ > pages_) corrupt("values of a Berkeley DB that share pages");
      const Page page = page_at(number);
      const std::size_t count = page.free_from;  // of an overflow page: the bytes on it
      if (page.type != overflow || count == 0 || count > page_size_ - page_header || count > length - out.size())
        corrupt(fmt::format("page {} of a Berkeley DB does not belong to its value", number));
      out.append(as_text(page.bytes.subspan(page_header, count)));
      number = page.next;
    }
    if (out.size() != length) corrupt("a value of a Berkeley DB that ends early");
  }

  Bytes bytes_;
  Endian endian_ = Endian::little;
  std::uint64_t page_size_ = 0, pages_ = 0, chained_ = 0;
  std::string key_, value_;
};

}  // namespace

bool is_berkeley(Bytes bytes) {
  if (bytes.size() < 512) return false;
  for (const Endian endian : {Endian::little, Endian::big})
    if (const std::uint32_t magic = magic_of(bytes, endian); magic == hash_magic || magic == tree_magic) return true;
  return false;
}

void read_berkeley_hash(Bytes database, const std::function<void(Bytes key, Bytes value)>& record) {
  if (!is_berkeley(database)) corrupt("no Berkeley DB");
  for (const Endian endian : {Endian::little, Endian::big})
    if (magic_of(database, endian) == tree_magic) throw Error(ErrorKind::unsupported, "a Berkeley DB that is a tree");
  HashReader(database).read(record);
}

}  // namespace ocilint
