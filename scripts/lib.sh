# What the scripts share. Source it: it changes to the project's root and defines functions, nothing else.
# shellcheck shell=bash

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# packages SECTION... : the Debian packages of those sections of scripts/packages.
packages() {
  local section
  for section in "$@"; do
    awk -v wanted="[$section]" '/^\[/ { inside = ($1 == wanted); next } inside && NF && $1 !~ /^#/ { print $1 }' \
      scripts/packages
  done
}

# not_installed PACKAGE... : those that dpkg does not call installed, one a line.
not_installed() {
  # dpkg-query fails when it does not know a package at all; what it does know it still prints.
  (dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true) |
    awk -v wanted="$*" '$2 == "installed" { have[$1] = 1 }
      END { n = split(wanted, names, " "); for (i = 1; i <= n; ++i) if (!(names[i] in have)) print names[i] }'
}

# install_missing SECTION... : the packages of those sections are installed afterwards. As root it installs what is
# missing; anybody else is given the one command to type, and the script ends with 1. Elsewhere than on Debian it
# says what is needed and goes on, so that the build can tell what it does not find.
install_missing() {
  local wanted missing
  wanted=$(packages "$@")
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    echo "This is not a Debian system. What Debian calls these packages must be there:" >&2
    echo "  ${wanted//$'\n'/ }" >&2
    return 0
  fi
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

# install_optional SECTION... : as install_missing, but only root on Debian installs, and nothing that goes wrong matters.
# No service of these packages is started.
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
    # Debian asks this program, if there is one, whether a service may start.
    if [ ! -e "$policy" ]; then
      trap 'rm -f "$policy"' EXIT
      printf '#!/bin/sh\nexit 101\n' >"$policy"
      chmod 755 "$policy"
    fi
    # shellcheck disable=SC2086
    apt-get update && apt-get install -y --no-install-recommends $missing
  ) >"$log" 2>&1 || echo "That failed, so that some tests will be skipped ($PWD/$log)"
}

# logged FILE COMMAND... : runs the command with its output in FILE; shows the end of it if the command fails.
logged() {
  local log=$1 status=0
  shift
  mkdir -p "$(dirname "$log")"
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" != 0 ]; then
    tail -n 60 "$log" >&2
    echo "failed: $* (all of its output: $PWD/$log)" >&2
  fi
  return "$status"
}

# jobs_at_once: how many compilers or tests to run at a time: one a processor, but 2 GB of memory for each.
jobs_at_once() {
  local processors memory
  processors=$(nproc)
  memory=$(awk '/^MemTotal:/ { print int($2 / 2e6) }' /proc/meminfo)
  [ "$memory" -ge 1 ] || memory=1
  echo $((processors < memory ? processors : memory))
}

# build PRESET [TARGET] : configures and builds one preset of CMakePresets.json; all of it without a target. With WERROR=ON
# in the environment warnings are errors.
build() {
  cmake --preset "$1" ${WERROR:+-DRAREFACT_WERROR="$WERROR"} && cmake --build --preset "$1" --parallel "$(jobs_at_once)" ${2:+--target "$2"}
}
