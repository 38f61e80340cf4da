# Functions shared by the scripts. Sourcing it only defines them and changes to the project's root.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# rows SECTION... : prints the Debian packages of these sections of scripts/packages, one per line, with
# minimum versions.
rows() {
  local section
  for section in "$@"; do
    awk -v wanted="[$section]" '/^\[/ { inside = ($1 == wanted); next }
      inside && NF && $1 !~ /^#/ { print $1 ($2 ~ /^[0-9.]+$/ ? " " $2 : "") }' scripts/packages
  done
}

# packages SECTION... : prints only their names.
packages() {
  rows "$@" | awk '{ print $1 }'
}

# least PACKAGE: prints its minimum version; nothing if any version is sufficient.
least() {
  awk -v name="$1" '$1 == name && $2 ~ /^[0-9.]+$/ { print $2; exit }' scripts/packages
}

# at_least FOUND LEAST: true if the version FOUND is LEAST or later; false for an empty FOUND.
at_least() {
  [ -n "$1" ] && printf '%s\n%s\n' "$2" "$1" | sort -CV
}

# check_tools: exits with 1 and one line if CMake, or the compiler that it would use, is missing or too old.
check_tools() {
  local compiler name found version
  version=$(cmake --version 2>/dev/null | awk 'NR == 1 { print $3 }' || true)
  if ! at_least "$version" "$(least cmake)"; then
    found="No CMake was found"
    [ -z "$version" ] || found="CMake $version was found"
    echo "$found; $(least cmake) or later is needed." >&2
    exit 1
  fi
  compiler=${CXX:-$(command -v c++ g++ clang++ || true)}
  compiler=${compiler%%$'\n'*}
  # shellcheck disable=SC2086  # CXX may have options
  found=$(echo __clang_major__ __GNUC__ | ${compiler:-c++} -E -P -x c++ - 2>/dev/null || true)
  name=g++ version=${found##* }
  [[ $found != [0-9]* ]] || name=clang version=${found%% *}
  if ! at_least "$version" "$(least "$name")"; then
    found="No C++ compiler was found"
    [ -z "$version" ] || found="$name $version was found ($compiler)"
    echo "$found; g++ $(least g++) or clang $(least clang) or later is needed." >&2
    exit 1
  fi
}

# not_installed PACKAGE... : prints those that are not installed according to dpkg, one per line.
not_installed() {
  # dpkg-query fails if it does not know a package, but still prints the others.
  (dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true) |
    awk -v wanted="$*" '$2 == "installed" { have[$1] = 1 }
      END { n = split(wanted, names, " "); for (i = 1; i <= n; ++i) if (!(names[i] in have)) print names[i] }'
}

# install_missing SECTION... : makes sure that the packages of these sections are installed, and compiler and
# CMake new enough. Root installs what is missing; for other users it prints the command to type and exits
# with 1. On systems other than Debian it prints what is needed and continues, so that the build reports what
# it does not find.
install_missing() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    local needed
    needed=$(rows "$@")
    echo "This is not a Debian system. What Debian calls these packages must be there, in these versions or later:" >&2
    echo "  ${needed//$'\n'/, }" >&2
  else
    install_packages "$@"
  fi
  check_tools
}

# install_packages SECTION... : install_missing on Debian.
install_packages() {
  local wanted missing
  wanted=$(packages "$@")
  # shellcheck disable=SC2086  # one word a package
  missing=$(not_installed $wanted)
  [ -n "$missing" ] || return 0
  missing=${missing//$'\n'/ }
  if [ "$(id -u)" != 0 ]; then
    echo "Some Debian packages are missing. Install them with this command, then start again:" >&2
    echo >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends $missing" >&2
    exit 1
  fi
  echo "Installing Debian packages: $missing"
  export DEBIAN_FRONTEND=noninteractive
  logged build/packages.log apt-get update
  # shellcheck disable=SC2086
  logged build/packages.log apt-get install -y --no-install-recommends $missing
}

# install_optional SECTION... : like install_missing, but only root on Debian installs, and failures are
# ignored. No service of these packages is started.
install_optional() {
  local wanted missing policy=${POLICY_RC_D:-/usr/sbin/policy-rc.d} log=build/optional_packages.log
  wanted=$(packages "$@")
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then return 0; fi
  # shellcheck disable=SC2086  # one word a package
  missing=$(not_installed $wanted)
  [ -n "$missing" ] || return 0
  missing=${missing//$'\n'/ }
  if [ "$(id -u)" != 0 ]; then
    echo "Not installed, so that some tests will be skipped: $missing"
    return 0
  fi
  echo "Installing Debian packages: $missing"
  mkdir -p build
  (
    export DEBIAN_FRONTEND=noninteractive
    # If this program exists, Debian asks it whether a service may start.
    if [ ! -e "$policy" ]; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod 755 "$policy"
    fi
    # shellcheck disable=SC2086
    apt-get update && apt-get install -y --no-install-recommends $missing
  ) >"$log" 2>&1 || echo "That failed, so that some tests will be skipped ($PWD/$log)"
}

# logged FILE COMMAND... : runs the command with its output in FILE; if it fails, shows the end of FILE, or
# the line in which CMake names missing libraries.
logged() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" != 0 ] && ! awk '/^Missing: / { print; found = 1 } END { exit !found }' "$log" >&2; then
    tail -n 60 "$log" >&2
    echo "failed: $* (all of its output: $PWD/$log)" >&2
  fi
  return "$status"
}

# jobs_at_once: prints how many compilers or tests to run in parallel: one per processor, with 2 GB of memory
# each.
jobs_at_once() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemTotal:/ { print int($2 / 2e6) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((processors < memory ? processors : memory))
}

# build PRESET [TARGET] : configures and builds a preset of CMakePresets.json, by default all targets. With
# WERROR=ON in the environment warnings are errors.
build() {
  cmake --preset "$1" ${WERROR:+-DRAREFACT_WERROR="$WERROR"} && cmake --build --preset "$1" --parallel "$(jobs_at_once)" ${2:+--target "$2"}
}
