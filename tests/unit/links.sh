#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every relative link of the documents in the top folder and below doc leads to something that is there.
failed=0
links=0
cd "$top_srcdir" || exit 99
for page in README.md CONTRIBUTING.md SECURITY.md $(find doc -name '*.md' | sort); do
  # [text](target), ![text](target "title"), [text](target#part)
  for target in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](//; s/[ #].*//; s/)$//'); do
    case $target in
    *://* | mailto:*) continue ;;
    esac
    links=$((links + 1))
    if [ ! -e "$(dirname "$page")/$target" ]; then
      echo "$page: there is no $target"
      failed=1
    fi
  done
done
[ "$links" -gt 0 ] || { echo "no link was found at all"; failed=1; }
exit $failed
