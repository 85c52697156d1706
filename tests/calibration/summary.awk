# SPDX-License-Identifier: BSD-3-Clause
# summary.awk FILE...: one table of several runs, for doc/results/calibration.md. Each FILE is what
# calibrate -r wrote: one column "values / wrong" for each run, then all runs together.
BEGIN {
  FS = "\t"
  bins = split("0.5 0.8 0.9 0.95 0.99 0.999 0.9999", least, " ")
}
FNR == 1 { files++ }
$6 == "value" {
  b = bins
  while (b > 1 && $9 < least[b])
    b--
  if (!($5 in seen))
    order[++properties] = $5
  seen[$5] = 1
  key = $5 SUBSEP b
  values[key, files]++
  wrong[key, files] += !$7
  values[key]++
  wrong[key] += !$7
  stated[key] += $9
}
END {
  printf "| property | confidence |"
  for (f = 1; f <= files; f++)
    printf " run %d |", f
  print " all | stated | right |"
  printf "|---|---|"
  for (f = 1; f <= files; f++)
    printf "---:|"
  print "---:|---:|---:|"
  for (i = 1; i <= properties; i++)
    for (b = 1; b <= bins; b++) {
      key = order[i] SUBSEP b
      if (!(key in values))
        continue
      printf "| %s | %s to %s |", order[i], least[b], b < bins ? least[b + 1] : 1
      for (f = 1; f <= files; f++)
        printf " %d / %d |", values[key, f], wrong[key, f]
      printf " %d / %d | %.4f | %.2f %% |\n", values[key], wrong[key], stated[key] / values[key],
        100 * (1 - wrong[key] / values[key])
    }
}
