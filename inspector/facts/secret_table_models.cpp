#include "facts/secret_table.h"

namespace ocilint::secret_table {
namespace {

using enum Detector::Kind;
using enum Confidence;
using enum Guard::Bit;
constexpr unsigned token = placeholder | boundary;

// clang-format off: a pattern is one literal, so that it can be searched for
constexpr Detector rows[] = {
    {"huggingface-token", "a Hugging Face token", high, prefix, 3.8, token, "hf_ api_org_",
     R"re(((?:hf|api_org)_[A-Za-z]{34})(?:[^A-Za-z0-9]|$))re", "(hf_[A-Za-z]{34})"},
    {"openai-key", "an OpenAI key", high, context, 4.0, placeholder, "T3BlbkFJ",
     R"re((sk-(?:(?:proj|svcacct|admin|None)-)?[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{16,}))re",
     "(sk-proj-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74})"},
    {"anthropic-key", "an Anthropic key", high, prefix, 4.0, token | one_row, "sk-ant-",
     R"re((sk-ant-(?:api|admin|oat|ort|sid)\d\d-[A-Za-z0-9_-]{80,}AA))re", "(sk-ant-api03-[A-Za-z0-9_-]{93}AA)"},
    {"llm-vendor-keys", "a key of a language-model service", high, prefix, 3.8, token,
     "gsk_ r8_ xai- pplx- sk-or-v1- csk- tgp_v1_ nvapi- pcsk_",
     R"re(((?:gsk_[A-Za-z0-9]{52}|r8_[A-Za-z0-9]{37}|xai-[A-Za-z0-9]{80}|pplx-[A-Za-z0-9]{48}|sk-or-v1-[0-9a-f]{64}|csk-[a-z0-9]{48}|tgp_v1_[A-Za-z0-9_-]{43}|nvapi-[A-Za-z0-9_-]{64}|pcsk_[A-Za-z0-9_]{60,}))(?:[^A-Za-z0-9]|$))re",
     "(gsk_[A-Za-z0-9]{52})"},
    {"wandb-key", "a Weights & Biases key", medium, context, 3.0, placeholder | any_case, "wandb",
     R"re((?i)wandb[A-Za-z0-9_ .-]{0,24}["' ]{0,3}[:=]{1,2}[> "']{0,3}((?:wandb_v1_[A-Za-z0-9_]{60,})|[0-9a-f]{40})(?:[^0-9a-zA-Z]|$))re",
     "WANDB_API_KEY=([0-9a-f]{40})"},
};
// clang-format on

}  // namespace

std::span<const Detector> models() { return rows; }

}  // namespace ocilint::secret_table
