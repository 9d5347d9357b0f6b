// Small rules and a load context for the tests of this stage.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "policy/expand.h"
#include "policy/policy.h"

namespace ocilint::test {

inline void plan_nothing(const Params&, Plan&) {}
inline void check_nothing(const Params&, const ImageView&, Answer&) {}

inline constexpr std::string_view identities[] = {"inode", "content"};
inline constexpr Param same_params[] = {
    {.name = "files", .type = ParamType::paths, .doc = "which", .required = true},
    {.name = "identity", .type = ParamType::text, .doc = "how", .choices = identities},
    {.name = "at_least", .type = ParamType::number, .doc = "how many"},
    {.name = "allow_empty", .type = ParamType::flag, .doc = "or none"},
};
inline constexpr std::string_view source_keys[] = {"label", "file"};
inline constexpr std::string_view hows[] = {"lower", "digits"};
inline constexpr Param source_fields[] = {
    {.name = "label", .type = ParamType::text, .doc = "a label"},
    {.name = "file", .type = ParamType::paths, .doc = "files"},
    {.name = "key", .type = ParamType::text, .doc = "of the file", .beside = "file"},
    {.name = "pattern", .type = ParamType::pattern, .doc = "a pattern"},
    {.name = "how", .type = ParamType::texts, .doc = "ways", .choices = hows},
    {.name = "first", .type = ParamType::number, .doc = "how many"},
    {.name = "optional", .type = ParamType::flag, .doc = "or none"},
};
inline constexpr Param word_params[] = {
    {.name = "word", .type = ParamType::text, .doc = "a word"},
    {.name = "words", .type = ParamType::texts, .doc = "words"},
    {.name = "content", .type = ParamType::pattern, .doc = "a pattern"},
    {.name = "contents", .type = ParamType::patterns, .doc = "patterns"},
    {.name = "sources", .type = ParamType::records, .doc = "sources", .fields = source_fields, .one_of = source_keys},
    {.name = "deny", .type = ParamType::mode, .doc = "a mode"},
};
inline constexpr FindingKind same_kinds[] = {{"split", "two files"}, {"differs", "two contents"}};

inline const Rule same_rule{.doc = {.id = "same-file",
                                    .summary = "One file.",
                                    .details = "",
                                    .severity = Severity::error,
                                    .since = "0.1",
                                    .params = same_params,
                                    .kinds = same_kinds,
                                    .examples = {}},
                            .plan = plan_nothing,
                            .check = check_nothing};
inline const Rule word_rule{.doc = {.id = "word",
                                    .summary = "Words.",
                                    .details = "",
                                    .severity = Severity::warning,
                                    .since = "0.1",
                                    .params = word_params,
                                    .kinds = {},
                                    .examples = {}},
                            .plan = plan_nothing,
                            .check = check_nothing};
inline const Rule built_in_rule{.doc = {.id = "image-integrity",
                                        .summary = "Whole.",
                                        .details = "",
                                        .severity = Severity::error,
                                        .since = "0.1",
                                        .params = {},
                                        .kinds = {},
                                        .examples = {},
                                        .built_in = true},
                                .plan = plan_nothing,
                                .check = check_nothing};
inline const Rule* const rules[] = {&built_in_rule, &same_rule, &word_rule};

inline constexpr ShippedPolicy shipped[] = {
    {"base", "policy: base\nlanguage: 1\nchecks: [{id: words, rule: word, with: {word: base}}]\n"},
    {"loop", "policy: loop\nlanguage: 1\nextends: loop\n"},
    {"outside", "policy: outside\nlanguage: 1\nextends: ./other.yaml\n"},
};

using Files = std::map<std::string, std::string>;

inline LoadContext context(Files files = {}) {
  using namespace std::chrono;
  return {.rules = rules,
          .shipped = shipped,
          .read_file =
              [files](const std::string& path) {
                const auto found = files.find(path);
                if (found == files.end()) throw Error(ErrorKind::not_found, path + ": no such file");
                return found->second;
              },
          .today = sys_days(2026y / December / 1)};
}

inline const std::string head = "policy: p\nlanguage: 1\n";

inline Policy load(const std::string& body, Files files = {}) {
  return load_policy(head + body, "dir/p.yaml", context(std::move(files)));
}

}  // namespace ocilint::test
