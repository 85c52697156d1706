#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# count.sh KERNELS DIR: hardware counters of the plain kernels. Each set of counters is read three
# times. A set that needs several passes starts the program again for each of them, so that each
# pass finds the same caches. Writes DIR/SET-N.csv, DIR/names (the kernels, in the order of the
# rows) and DIR/metrics (the counters that this GPU has).
kernels=$1 out=$2
mkdir -p "$out"

l1=l1tex__t_sectors_pipe_lsu_mem_global_op_ld
lts=lts__t_sectors_srcunit
set_l1="$l1 ${l1}_lookup_hit ${l1}_lookup_miss l1tex__t_requests_pipe_lsu_mem_global_op_ld"
set_fill="l1tex__m_xbar2l1tex_read_sectors l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld
  l1tex__t_sectors_pipe_lsu_mem_global_op_st l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit"
set_l2="${lts}_tex_op_read ${lts}_tex_op_read_lookup_hit ${lts}_tex_op_read_lookup_miss"
set_fabric="${lts}_ltcfabric ${lts}_ltcfabric_lookup_hit ${lts}_ltcfabric_lookup_miss
  dram__sectors_read ${lts}_tex_op_write ${lts}_tex_op_atom ${lts}_tex_op_red"
launch=launch__shared_mem_config_size,launch__registers_per_thread,sm__cycles_elapsed.max

# Names without a suffix, sorted.
ncu --query-metrics --chips gh100 2>/dev/null | sed 's/ .*//' | grep -E '^(l1tex|lts|dram)__' |
  sort >"$out/metrics"
[ -s "$out/metrics" ] || ncu --query-metrics | sed 's/ .*//' | sort >"$out/metrics"

count() {
  list=$launch
  for metric in $2; do
    if grep -qx "$metric" "$out/metrics"; then
      list=$list,$metric.sum
    else
      echo "count.sh: this GPU has no $metric" >&2
    fi
  done
  for n in 1 2 3; do
    ncu --cache-control none --clock-control none --replay-mode application \
      --kernel-name-base demangled --kernel-name 'regex:Plain' --metrics "$list" \
      --csv --page raw --print-units base --log-file "$out/$1-$n.csv" "$kernels" count \
      >"$out/$1-$n.out" || return 1
  done
}

count l1 "$set_l1" && count l2 "$set_l2" && count fill "$set_fill" && count fabric "$set_fabric"
status=$?
grep -v '^[0=]' "$out/l1-1.out" | awk '!seen[$0]++' >"$out/names"
exit $status
