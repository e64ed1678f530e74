# Debian packages: what is missing, and how to install it without starting its services.

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

missing_packages() {  # PACKAGE…
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query -W -f='${db:Status-Abbrev}${binary:Package}\n' "$@" 2>/dev/null |
        sed -n 's/^ii \([^:]*\).*/\1/p' | sort -u)
}

install_missing() {  # PACKAGE…
  local -a missing
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  printf 'installing: %s\n' "${missing[*]}"
  as_root apt-get update -qq
  # A policy that denies every start: a build machine wants the programs, not the daemons.
  local policy=/usr/sbin/policy-rc.d ours= status=0
  if [ ! -e "$policy" ]; then
    ours=yes
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod 755 "$policy"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null || status=$?
  [ -z "$ours" ] || as_root rm -f "$policy"
  return "$status"
}
