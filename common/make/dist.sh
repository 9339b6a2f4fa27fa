#!/bin/sh
# dist.sh BUILD VERSION: BUILD/overload-lab-VERSION.tar.gz, made of what is committed,
# so that the same commit gives the same bytes wherever and whenever it is made.
name=overload-lab-$2
archive=$1/$name.tar.gz

# An unpacked archive may lie within another repository, which is not meant.
if ! git rev-parse --verify -q HEAD >/dev/null 2>&1 || [ -n "$(git rev-parse --show-prefix)" ]; then
  echo 'make dist packs what is committed, so it wants git and a clone of the repository' >&2
  exit 2
fi
if [ -n "$(git status --porcelain 2>/dev/null)" ]; then
  echo 'note: what is not committed is not in the archive' >&2
fi

mkdir -p "$1" || exit 2
trap 'rm -f "$archive.tar" "$archive.part"' EXIT
# Two steps, so that a failure of the first is not lost in a pipe.
git -c tar.umask=0022 archive --format=tar --prefix="$name/" -o "$archive.tar" HEAD &&
  gzip -n -9 <"$archive.tar" >"$archive.part" &&
  mv "$archive.part" "$archive" || exit 2
echo "the archive is $archive; unpacked, \`make all\` and \`make report\` work as here, without a network"
