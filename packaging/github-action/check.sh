#!/usr/bin/env bash
# The step of the action: runs ocilint on the inputs, shows annotations and a summary, and gives out the digest.
# Its exit status is ocilint's. Inputs come as INPUT_…; none is ever taken for an option or a command.
set -euo pipefail

fail() {
  echo "::error title=ocilint::$1"
  exit 2
}

work=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/ocilint.XXXXXX")
trap 'rm -rf "$work"' EXIT

# lines TEXT: into the array `found`, without empty lines and blanks around.
lines() {
  local line
  found=()
  while IFS=$' \t\r' read -r line; do
    if [[ $line ]]; then found+=("$line"); fi
  done <<<"$1"
}

arguments=()
for option in policy gate set with fail-on platform anchor; do
  name=INPUT_${option^^}
  name=${name//-/_}
  lines "${!name-}"
  for value in "${found[@]}"; do arguments+=("--$option=$value"); done
done
lines "${INPUT_IMAGE-}"
images=("${found[@]}")
((${#images[@]} > 0)) || fail "the input image is empty"

# A report of an earlier run must not be uploaded as this one's.
if [[ ${INPUT_SARIF_FILE-} ]]; then
  rm -f -- "$INPUT_SARIF_FILE"
  arguments+=("--output=sarif=$INPUT_SARIF_FILE")
fi
if [[ ${INPUT_JSON_FILE-} ]]; then
  rm -f -- "$INPUT_JSON_FILE"
  arguments+=("--output=json=$INPUT_JSON_FILE")
fi

if [[ ${INPUT_PACKAGE-} ]]; then
  package=$work/ocilint.deb
  if [[ $INPUT_PACKAGE == https://* ]]; then
    [[ ${INPUT_PACKAGE_SHA256-} ]] || fail "package is an address: package-sha256 is needed too"
    curl --fail --silent --show-error --location --proto '=https' --output "$package" -- "$INPUT_PACKAGE" ||
      fail "the package could not be fetched"
  else
    cp -- "$INPUT_PACKAGE" "$package" || fail "the package is not there"
  fi
  if [[ ${INPUT_PACKAGE_SHA256-} ]]; then
    echo "$INPUT_PACKAGE_SHA256  $package" | sha256sum --check --status - || fail "the package has another digest"
  fi
  as_root=()
  if ((EUID != 0)); then as_root=(sudo); fi
  chmod 0755 "$work" # apt reads the package as a user of its own
  "${as_root[@]}" apt-get -qq install -y --no-install-recommends "$package" >"$work/apt.log" 2>&1 ||
    { cat "$work/apt.log"; fail "the package could not be installed"; }
fi
command -v ocilint >/dev/null || fail "ocilint is not there: give the input package, or install it in an earlier step"

status=0
ocilint check "${arguments[@]}" --output=text "--output=github=$work/annotations" "--output=markdown=$work/summary" \
  "--digest-file=$work/digest" -- "${images[@]}" || status=$?

if [[ -s $work/annotations ]]; then cat "$work/annotations"; fi
if [[ -s $work/summary && ${GITHUB_STEP_SUMMARY-} ]]; then cat "$work/summary" >>"$GITHUB_STEP_SUMMARY"; fi
if [[ ! -s $work/annotations ]] && ((status != 0)); then
  echo "::error title=ocilint::nothing was checked (exit status $status); the log has the reason"
fi
if [[ ${GITHUB_OUTPUT-} ]]; then
  {
    echo "exit-status=$status"
    if ((status == 0)) && [[ -s $work/digest ]]; then
      echo "digest<<end-of-digests"
      cat "$work/digest"
      echo "end-of-digests"
    else
      echo "digest="
    fi
  } >>"$GITHUB_OUTPUT"
fi
exit "$status"
