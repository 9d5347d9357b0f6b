// A result by hand that has everything a report can have: for approved reports and for tests with random bytes.
#pragma once

#include <functional>
#include <vector>

#include "run/result.h"

namespace ocilint::testing {

inline Finding finding(std::string kind, std::string subject, std::string message) {
  Finding out;
  out.kind = std::move(kind);
  out.subject = std::move(subject);
  out.message = std::move(message);
  return out;
}

inline CheckResult check_of(std::string id, std::string rule, Outcome outcome, std::uint32_t line) {
  CheckResult out;
  out.id = std::move(id);
  out.rule = std::move(rule);
  out.policy = "service";
  out.file = "policies/service.yaml";
  out.line = line;
  out.column = 5;
  out.outcome = outcome;
  return out;
}

inline CheckResult failed_check() {
  CheckResult check = check_of("runtime-is-one-file", "same-file", Outcome::fail, 20);
  check.why = "the loader takes whichever name sorts last";
  ReportedFinding split;
  split.finding = finding("split", "/opt/lib/libx.so.1", "same bytes as libx.so.1.0, but a separate file");
  split.finding.details = {"file of layer 0: /opt/lib/libx.so.1.0", "file of layer 1: /opt/lib/libx.so.1"};
  split.finding.layer = 1;
  split.finding.remedy = "link every name in one RUN";
  split.layer_name = "sha256:aa";
  split.created_by = "RUN /bin/sh -c cp -L \x1b[31m";
  split.fingerprint = "f1";
  split.story = 0;
  ReportedFinding expired;
  expired.finding = finding("differs", "/opt/lib/\xff.so", "other bytes");
  expired.finding.layer = 0;
  expired.finding.confidence = Confidence::medium;
  expired.layer_name = "sha256:bb";
  expired.fingerprint = "f2";
  expired.expired_waiver = "policies/service.yaml:40 (until 2026-01-31)";
  ReportedFinding waived;
  waived.finding = finding("split", "/opt/lib/old.bak", "a separate file");
  waived.fingerprint = "f3";
  waived.waived = WaiverUse{"kept for one release", "@team", "2026-12-31", "T-1", "policies/service.yaml:45"};
  check.findings = {split, expired, waived};
  return check;
}

/// Of every_feature(): a tree of 14 KB, and the story of a file that was a hard link until layer 1.
inline ImageSurvey surveyed() {
  ImageSurvey out;
  out.layers = {{6, 0, 0, 10240, 2048}, {1, 1, 0, 4096, 0}};
  out.content_bytes = 14336;
  out.hidden_bytes = 2048;
  out.score = 0.9;
  out.hidden = {{"/opt/lib/<hidden>", 2048, {0}, 1}};
  out.packages_known = true;
  out.packages = {"libx", "libc6"};
  const auto node = [](std::string path, bool folder, std::uint64_t bytes, std::uint32_t parent, std::uint32_t layer) {
    SizeNode made;
    made.path = std::move(path);
    made.folder = folder;
    made.bytes = bytes;
    made.files = folder ? 3 : 1;
    made.parent = parent;
    made.layer = layer;
    return made;
  };
  out.sizes = {node("/", true, 12288, SizeNode::none, 0),
               node("/opt", true, 8192, 0, 1),
               node("/etc", true, 4096, 0, 0),
               node("/opt/libx.so.1", false, 4096, 1, 1),
               node("/opt/libx.so.1.0", false, 4000, 1, 0),
               node("/opt", false, 96, 1, 0)};
  out.sizes[3].package = 0;
  out.sizes[3].severity = 2;
  out.sizes[5].rest = true;
  out.sizes[5].files = 2;
  NameStory story;
  story.names = {
      {"/opt/lib/libx.so.1", "", {{0, StoryDeed::linked, 0}, {1, StoryDeed::wrote, 1}}},
      {"/opt/lib/libx.so.1.0", "", {{0, StoryDeed::wrote, 0}}},
      {"/opt/lib/libx.so", "libx.so.1", {{0, StoryDeed::wrote, 2}, {1, StoryDeed::removed, SizeNode::none}}}};
  story.more_names = 1;
  out.stories = {story};
  return out;
}

inline ImageResult every_feature() {
  ImageResult out;
  out.reference = "oci:image";
  out.full_reference = "oci:image:tag";
  out.manifest_digest = "sha256:cc";
  out.platform = "linux/amd64";
  out.view = "spec";
  out.layers = {{"sha256:bb", "sha256:b0", "COPY rootfs /", "gzip", 2048, 10240, 7},
                {"sha256:aa", "sha256:a0", "RUN /bin/sh -c cp -L \x1b[31m", "zstd", 512, 4096, 2}};
  out.policies = {{"service",
                   "What every image of service must carry.",
                   "policies/service.yaml",
                   {{"shipped:debian-baseline", "sha256:d1"}, {"policies/service.yaml", "sha256:d2"}}}};
  out.gates = {{"service", "rocm", "off", "/opt/rocm/.info/version is not there", "auto"},
               {"service", "python", "on", "/usr/bin/python3 is a file", "required"}};

  CheckResult integrity = check_of("image-integrity", "image-integrity", Outcome::pass, 0);
  integrity.policy = "built-in";
  integrity.file.clear();
  integrity.column = 0;
  integrity.evidence = {{"2 layers read to the last byte", "", {}}};
  CheckResult gate = check_of("gate:python", "gate", Outcome::pass, 9);
  gate.evidence = {{"it is on", "/usr/bin/python3", 0}};
  CheckResult warned = check_of("modes", "file-mode", Outcome::fail, 24);
  warned.severity = Severity::warning;
  ReportedFinding loose;
  loose.severity = Severity::warning;
  loose.finding = finding("modes", "/srv/a\n::error::b", "mode 0666: o+w is denied");
  loose.fingerprint = "f4";
  warned.findings = {loose};
  CheckResult noted = check_of("left-over", "file-absent", Outcome::fail, 26);
  noted.severity = Severity::note;
  ReportedFinding present;
  present.severity = Severity::note;
  present.finding = finding("present", "/tmp/x", "it is there");
  present.fingerprint = "f5";
  noted.findings = {present};
  CheckResult waived = check_of("backup", "file-absent", Outcome::fail, 28);
  waived.findings = {failed_check().findings[2]};
  CheckResult passed = check_of("config-is-there", "file", Outcome::pass, 30);
  for (int i = 0; i < 8; ++i) passed.evidence.push_back({"a file of 3 bytes", "/etc/app/" + std::to_string(i), 1});
  CheckResult gated = check_of("hsa", "file", Outcome::not_applicable, 32);
  gated.reason = "gate rocm is off: /opt/rocm/.info/version is not there";
  CheckResult error = check_of("packages", "package-files", Outcome::error, 34);
  error.errors = {"/var/lib/dpkg/status: line 7: no field", "variable 'rocm' has no value"};
  out.checks = {integrity, gate, failed_check(), warned, noted, waived, passed, gated, error};

  out.unused_waivers = {"policies/service.yaml:50 modes"};
  out.ledger.checks_listed = out.ledger.checks_evaluated = out.checks.size();
  out.ledger.checks_passed = 1;
  out.ledger.checks_failed = 4;
  out.ledger.checks_not_evaluated = 1;
  out.ledger.layers_listed = out.ledger.layers_verified = 2;
  out.ledger.layers_parsed = 1;
  out.ledger.layers_needed = true;
  out.ledger.blob_bytes_listed = out.ledger.blob_bytes_hashed = 2560;
  out.ledger.covered = {{"documents", 3, 3}, {"package files", 10, 9}};
  out.survey = surveyed();
  out.stats = {.hashed_files = 4,
               .hashed_bytes = 4096,
               .kept_files = 2,
               .kept_bytes = 300,
               .elf_files = 1,
               .searched_files = 3,
               .searched_bytes = 600,
               .refilled_layers = 1,
               .refilled_facts = 2,
               .refill_rounds = 1,
               .spooled_bytes = 2048,
               .entries = 9,
               .names = 8};
  return out;
}

inline ImageResult unreadable_image() {
  ImageResult out;
  out.reference = out.full_reference = "docker-archive:broken.tar";
  out.policies = every_feature().policies;
  out.unreadable = Error(ErrorKind::corrupt, "layer 1: the archive ends within an entry");
  return out;
}

inline ImageResult ambiguous_image() {
  ImageResult out = unreadable_image();
  out.unreadable = Error(ErrorKind::usage, "oci:two holds 2 images; choose one:\n  oci:two:a\n  oci:two:b");
  return out;
}

/// Every string of a result, by reference: a new one belongs here too.
inline std::vector<std::string*> strings_of(ImageResult& result) {
  std::vector<std::string*> out = {&result.reference, &result.full_reference, &result.manifest_digest, &result.platform,
                                   &result.view};
  for (LayerResult& layer : result.layers)
    out.insert(out.end(), {&layer.name, &layer.diff_id, &layer.created_by, &layer.compression});
  for (PolicyResult& policy : result.policies) {
    out.insert(out.end(), {&policy.name, &policy.summary, &policy.file});
    for (auto& [file, digest] : policy.sources) out.insert(out.end(), {&file, &digest});
  }
  for (GateResult& gate : result.gates)
    out.insert(out.end(), {&gate.policy, &gate.name, &gate.state, &gate.text, &gate.mode});
  for (CheckResult& check : result.checks) {
    out.insert(out.end(), {&check.id, &check.rule, &check.policy, &check.file, &check.why, &check.reason});
    for (ReportedFinding& found : check.findings) {
      out.insert(out.end(), {&found.finding.kind, &found.finding.subject, &found.finding.message, &found.finding.remedy,
                             &found.layer_name, &found.created_by, &found.fingerprint, &found.expired_waiver});
      for (std::string& detail : found.finding.details) out.push_back(&detail);
      if (found.waived) {
        WaiverUse& waiver = *found.waived;
        out.insert(out.end(), {&waiver.reason, &waiver.owner, &waiver.expires, &waiver.ticket, &waiver.place});
      }
    }
    for (Evidence& evidence : check.evidence) out.insert(out.end(), {&evidence.text, &evidence.path});
    for (std::string& error : check.errors) out.push_back(&error);
  }
  if (result.survey) {
    for (HiddenPath& hidden : result.survey->hidden) out.push_back(&hidden.path);
    for (SizeNode& node : result.survey->sizes) out.push_back(&node.path);
    for (std::string& package : result.survey->packages) out.push_back(&package);
    for (NameStory& story : result.survey->stories)
      for (StoryName& name : story.names) out.insert(out.end(), {&name.path, &name.link});
  }
  for (std::string& waiver : result.unused_waivers) out.push_back(&waiver);
  for (Coverage& coverage : result.ledger.covered) out.push_back(&coverage.what);
  return out;
}

}  // namespace ocilint::testing
