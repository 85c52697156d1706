# SPDX-License-Identifier: BSD-3-Clause
# Functions for scripts that write a made-up /proc and /sys below $root: files, and PCI devices. The files are
# written all at once by write_tree, at the end: a process for each directory would take most of the time.
files=() texts=()

# put PATH TEXT...: a file with one line for each TEXT.
put() {
  local IFS=$'\n'
  files+=("$root$1")
  shift
  texts+=("${*//\\/\\\\}\n")
}

# le16 N: sets $bytes to the two bytes of N, little-endian, for printf.
le16() { printf -v bytes '\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8)); }

# pci BUSID CLASS VENDOR DEVICE CPUS [SECONDARY SUBORDINATE]: a PCI device; with two bus numbers, a
# bridge.
pci() {
  local dir=/sys/bus/pci/devices/$1 class=$(($2)) header=0 config bytes
  put "$dir/class" "$2"
  put "$dir/vendor" "$3"
  put "$dir/device" "$4"
  put "$dir/subsystem_vendor" 0x0000
  put "$dir/subsystem_device" 0x0000
  put "$dir/local_cpus" "$5"
  [ -z "$6" ] || header=1
  le16 "$3"; config=$bytes
  le16 "$4"; config+="$bytes\0\0\0\0\xa1"
  printf -v bytes '\\x%02x' $((class & 255)); config+=$bytes
  le16 $((class >> 8)); config+="$bytes\0\0\x0$header\0"
  config+='\0\0\0\0\0\0\0\0'
  config+="\x${1:5:2}\x${6:-00}\x${7:-00}\0\0\0\0\0"
  printf -v bytes '\\0%.0s' {33..256}
  files+=("$root$dir/config") texts+=("$config$bytes")
}

# write_tree: writes these files and the directories that they need.
write_tree() {
  local i
  mkdir -p "${files[@]%/*}"
  for i in "${!files[@]}"; do printf %b "${texts[i]}" > "${files[i]}"; done
}
