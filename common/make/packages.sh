# For deps.sh and doctor.sh: reads common/make/packages, and knows the package managers.

here=$(dirname "$0")

# The package manager of this machine, or nothing.
manager () {
  for each in apt-get dnf pacman apk brew; do
    if command -v $each >/dev/null 2>&1; then
      echo $each
      return
    fi
  done
}

# Is it there? PROBE as in common/make/packages.
present () {
  what=${1#*:}
  case $1 in
    cmd:*) command -v "$what" >/dev/null 2>&1 ;;
    pkg:*'>='*) pkg-config --atleast-version="${what#*>=}" "${what%>=*}" 2>/dev/null ;;
    pkg:*) pkg-config --exists "$what" 2>/dev/null ;;
    san:*)
      scratch=${TMPDIR:-/tmp}/sanitizer-probe.$$
      echo 'int main (void) { return 0; }' |
        "$what" -fsanitize=address,undefined -x c -o "$scratch" - 2>/dev/null
      found=$?
      rm -f "$scratch"
      return $found
      ;;
  esac
}

version_of () {
  what=${1#*:}
  case $1 in
    cmd:*) "$what" --version 2>/dev/null | head -n 1 | cut -c 1-60 ;;
    pkg:*) pkg-config --modversion "${what%>=*}" 2>/dev/null ;;
    san:*) echo "address and undefined, with $what" ;;
  esac
}

# The lines of the sets named that matter on this machine, without comments.
wanted () {
  for set in "$@"; do
    if [ "$set" = run ] && [ "$(uname -s)" = Linux ]; then
      grep -E '^(run|http) ' "$here/packages"
    else
      grep "^$set " "$here/packages"
    fi
  done
}

# The packages that MANAGER calls for to fill what is missing of the sets.
missing_packages () {
  by=$1
  shift
  wanted "$@" | while read -r set name probe apt dnf pacman apk brew why; do
    present "$probe" && continue
    case $by in
      apt-get) packages=$apt ;;
      dnf) packages=$dnf ;;
      pacman) packages=$pacman ;;
      apk) packages=$apk ;;
      brew) packages=$brew ;;
    esac
    [ "$packages" = - ] || echo "$packages" | tr + '\n'
  done | sort -u | tr '\n' ' ' | sed 's/ $//'
}

install_command () { # MANAGER
  case $1 in
    apt-get) echo 'apt-get install -y --no-install-recommends' ;;
    dnf) echo 'dnf install -y' ;;
    pacman) echo 'pacman -S --needed --noconfirm' ;;
    apk) echo 'apk add' ;;
    brew) echo 'brew install' ;;
  esac
}

refresh_command () { # MANAGER: fetches its lists of packages; nothing where it does so by itself
  case $1 in
    apt-get) echo 'apt-get update' ;;
    pacman) echo 'pacman -Sy' ;;
    apk) echo 'apk update' ;;
  esac
}
