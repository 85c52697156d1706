# SPDX-License-Identifier: BSD-3-Clause
# Functions for scripts that write a made-up /proc and /sys below $root: files, and PCI devices.

# put PATH TEXT...: writes a file with one line for each TEXT.
put() {
  local file=$root$1
  shift
  [ -d "${file%/*}" ] || mkdir -p "${file%/*}"
  printf '%s\n' "$@" > "$file"
}

# le16 N: prints two bytes for printf, little-endian.
le16() { printf '\\x%02x\\x%02x' $(($1 & 255)) $(($1 >> 8)); }

# pci BUSID CLASS VENDOR DEVICE CPUS [SECONDARY SUBORDINATE]: writes a PCI device; with two bus
# numbers, a bridge.
pci() {
  local dir=/sys/bus/pci/devices/$1 class=$(($2)) header=0 i
  put "$dir/class" "$2"
  put "$dir/vendor" "$3"
  put "$dir/device" "$4"
  put "$dir/subsystem_vendor" 0x0000
  put "$dir/subsystem_device" 0x0000
  put "$dir/local_cpus" "$5"
  [ -z "$6" ] || header=1
  {
    printf "$(le16 "$3")$(le16 "$4")\0\0\0\0\xa1"
    printf "\\x$(printf %02x $((class & 255)))$(le16 $((class >> 8)))\0\0\\x0$header\0"
    printf '\0\0\0\0\0\0\0\0'
    printf "\\x${1:5:2}\\x${6:-00}\\x${7:-00}\0\0\0\0\0"
    for ((i = 32; i < 256; i++)); do printf '\0'; done
  } > "$root$dir/config"
}
