#!/bin/sh
# deps.sh SET...: installs what is missing of the sets in common/make/packages,
# after saying what. Touches neither the network nor the system when all is there.
. "$(dirname "$0")/packages.sh"

absent () { # what of the sets is still missing, by its plain name
  wanted "$@" | while read -r set name probe rest; do
    present "$probe" || printf '%s ' "$name"
  done
}

missing=$(absent "$@")
if [ -z "$missing" ]; then
  echo "everything needed is here already"
  exit 0
fi

by=$(manager)
if [ -z "$by" ]; then
  echo "missing: $missing- but none of apt-get, dnf, pacman, apk and brew is here to install it" >&2
  exit 2
fi
packages=$(missing_packages "$by" "$@")
if [ -z "$packages" ]; then
  echo "missing: $missing- $by has no package for it here; see \`make doctor\`" >&2
  exit 2
fi
echo "missing: $missing"
echo "installing with $by: $packages"

as_root=
if [ "$by" != brew ] && [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "this needs root, and sudo is not here; as root: $(install_command "$by") $packages" >&2
    exit 2
  fi
  echo "this needs root, so sudo is used and may ask for your password"
  as_root=sudo
fi
if [ "$by" = apt-get ]; then
  as_root="$as_root env DEBIAN_FRONTEND=noninteractive"
fi

# Words are split on purpose: commands with their options, and lists of packages.
install () {
  $as_root $(install_command "$by") $packages
}

refresh () {
  command=$(refresh_command "$by")
  [ -z "$command" ] || $as_root $command
}

# The lists that are here may serve; where there are none, or they are too old, they are fetched.
have_lists () {
  [ "$by" != apt-get ] || apt-cache show $packages >/dev/null 2>&1
}

if ! have_lists || ! install; then
  { refresh && install; } || exit 2
fi

missing=$(absent "$@")
if [ -n "$missing" ]; then
  echo "still missing after the installation: $missing(\`make doctor\` says more)" >&2
  exit 2
fi
