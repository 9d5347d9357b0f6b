#include "layer/demand.h"

#include <algorithm>

#include "facts/secret_scan.h"

namespace ocilint {

void Demand::add(FactKind kind, const Glob& pattern) {
  scans_ = scans_ || kind == FactKind::scan;
  if (seen_.emplace(pattern.text(), kind).second) set_.add(pattern, static_cast<std::uint32_t>(kind));
}

void Demand::add_symbols(const std::vector<std::string>& names) {
  request_.symbols.insert(request_.symbols.end(), names.begin(), names.end());
}

void Demand::add_symbol_patterns(const std::vector<std::string>& defined, const std::vector<std::string>& undefined) {
  request_.defined_patterns.insert(request_.defined_patterns.end(), defined.begin(), defined.end());
  request_.undefined_patterns.insert(request_.undefined_patterns.end(), undefined.begin(), undefined.end());
}

void Demand::add_detectors(const std::vector<ExtraDetector>& more) {
  for (const ExtraDetector& detector : more)
    if (std::ranges::find(detectors_, detector) == detectors_.end()) detectors_.push_back(detector);
}

void Demand::freeze() {
  set_.freeze();
  if (scans_) scanner_ = std::make_shared<const SecretScanner>(detectors_);
  elf_ = std::make_shared<const ElfReader>(std::move(request_));
}

Wants Demand::wants_of(std::string_view path) const {
  Wants wants;
  set_.match(path, [&](std::uint32_t kind) { wants.add(static_cast<FactKind>(kind)); });
  return wants;
}

}  // namespace ocilint
