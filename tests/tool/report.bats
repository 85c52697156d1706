#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# report: a page about a GPU, as one HTML file.

setup() {
  load setup.bash
  prepare
  record=$top_srcdir/doc/results/h200/record.xml
  curves=$top_srcdir/doc/results/h200/curves
  cd "$BATS_TEST_TMPDIR"
}

# paths relative to the tree stay valid after cd
setup_file() {
  export top_builddir top_srcdir
  top_builddir=$(realpath "${top_builddir:-$BATS_TEST_DIRNAME/../..}")
  top_srcdir=$(realpath "${top_srcdir:-$BATS_TEST_DIRNAME/../..}")
}

# well_formed FILE: every element is closed, every text is escaped, no id is there twice.
well_formed() {
  is '' "$(grep -o " id='[^']*'" "$1" | sort | uniq -d)"
  command -v xmllint >/dev/null || { echo "# xmllint (package libxml2-utils) is missing: not checked" >&3; return 0; }
  xmllint --noout "$1"
}

# self_contained FILE: it names no other file.
self_contained() {
  local word
  for word in http: https: src= 'url(' @import '<script' '<link' '<iframe' '<object' 'file:'; do
    has_not "$(cat "$1")" "$word"
  done
  # links lead to the page itself, and to a section that it has
  is '' "$(grep -o 'href=.[^#]' "$1")"
  for word in $(grep -o "href='#[^']*'" "$1" | cut -d"'" -f2 | tr -d '#'); do
    has "$(cat "$1")" " id='$word'"
  done
}

# pages: the HTML files here; nothing else may be left but the tests' own files.
pages() { find . -maxdepth 1 -name '*html*' -printf '%f\n' | sort | xargs; }

@test "a page from a record: values, confidences, methods, reasons, drawings" {
  run_split "$tool" report page.html "$record"
  is 0 "$status"
  is page.html "$output"
  is '' "$errors"
  well_formed page.html
  self_contained page.html
  local page
  page=$(cat page.html)
  has "$page" "<h1>NVIDIA H200</h1>"
  has "$page" "<dt>Driver</dt><dd>580.159.04</dd>"
  has "$page" "<dt>Measured</dt><dd>2026-11-23T06:12:59Z</dd>"
  has "$page" "<dt>Command</dt><dd>hwloc-gpucache report page.html $record</dd>"
  # boxes, one for each element
  is 8 "$(grep -c "<rect class='box" page.html)"
  # the tables of show
  is 2 "$(grep -c "\(near\|far\) partition</th>" page.html)"
  [[ $page =~ "L1Cache</th><td class='n'>217 KiB</td><td class='n'>–</td><td class='n'>128 B</td>" ]]
  # a value with confidence, method and section
  has "$page" "<tr><th scope='row'>latency</th><td>32.0 cycles, 16.2 ns</td><td class='n'>0.9975</td><td>Measured. One thread"
  has "$page" "[methods, “Device memory latency”]"
  has "$page" "<td>217 KiB (222208 B)</td><td class='n'>0.9948</td>"
  has "$page" "Stated by the vendor’s interface (CUDA or HIP)."
  # absent values with their reasons
  has "$page" "capacity with all sets full</th><td class='absent'>absent</td><td class='n'>–</td><td>No value: L2 keeps less of a large array"
  is "$(grep -c 'value="absent:' "$record")" "$(grep -o "No value: " page.html | wc -l)"
  # carve-outs: a bar for each; partitions
  has "$page" ">72 %</text><rect class='bar'"
  has "$page" ">53 KiB</text>"
  has "$page" "This L2 has 2 partitions."
  has "$page" "<td class='n'>66</td><td class='n'>280.0 cycles</td><td class='n'>455.0 cycles</td>"
  has "$page" "This page has no curves."
}

@test "every value and confidence of the record is on the page" {
  "$tool" report page.html "$record"
  local page value n=0
  page=$(cat page.html)
  while IFS= read -r value; do
    has "$page" "$value"
    n=$((n + 1))
  done < <(grep -o '<info name="[A-Z][A-Za-z]*\(Cycles\|Ns\|GBps\|PerCycle\|Bytes\|Confidence\)" value="[^"]*"' "$record" |
    sed 's/.*value="\([^"]*\)"/\1/' | sort -u)
  [ "$n" -gt 40 ]
}

@test "TLBs have their reach, and a lower bound of an absent value has an explanation" {
  "$tool" report page.html "$top_srcdir/doc/results/structure/h200.xml"
  has "$(grep -A 1 "class='name'>L1TLB" page.html)" ">reach 256 MiB<"
  has_not "$(cat page.html)" "capacity absent"
  has "$(cat page.html)" "<td>So many were outstanding at the same time; no limit was reached.</td>"
  has_not "$(cat page.html)" ">absent:"
}

@test "--raw: every curve, with the value that was found" {
  run_split "$tool" report page.html "$record" --raw "$curves"
  is 0 "$status"
  well_formed page.html
  self_contained page.html
  is 4 "$(grep -c '<figure>' page.html)"
  has "$(cat page.html)" "<strong>capacity</strong>: 217 KiB found, confidence 0.9999, carve-out 0 %"
  # marked in both panels
  local l1
  l1=$(sed -n "/<h3>L1Cache<\/h3>/,/<\/figure>/p" page.html)
  is 2 "$(grep -c "<path class='mark'" <<<"$l1")"
  has "$l1" "217 KiB</text>"
  has "$l1" ">hit 32</text>"
  # these are of another H200 than the record
  has "$(cat page.html)" "curves of another GPU of this model, GPU-516af607"
  # the drawings are those of plot
  local drawing
  cp -r "$curves" copies
  "$tool" plot copies >/dev/null
  for drawing in copies/*.svg; do
    has "$(cat page.html)" "$(sed -n '/^<g /,/^<\/g>/p' "$drawing" | sed '1d;$d')"
  done
}

@test "--raw of a measurement: a picture for each file, of all forms" {
  "$tool" measure --sim "$tiny" --raw raw >/dev/null
  run_split "$tool" report page.html --sim "$tiny" --raw raw
  is 0 "$status"
  well_formed page.html
  local files figures
  files=$(grep -L '^# form: list' raw/*.tsv | wc -l)
  figures=$(grep -c '<figure>' page.html)
  is "$files" "$figures"
  [ "$figures" -gt 20 ]
  for form in curve trace repeats table; do grep -q "^# form: $form" raw/*.tsv; done
  # no number that a browser cannot read
  is '' "$(grep -oE '[ =("M,LhHVv-](nan|inf)' page.html | head -n 1)"
  has "$(cat page.html)" "this is a simulated GPU"
  has_not "$(cat page.html)" "another measurement"
}

@test "--raw: the latency of L2 by SM, with a box for each SM and a row for each GPC" {
  local gpcs='gpcs = 0-3, 4-11\ncluster_blocks = 8\ncluster_remote = 190 5'
  sed -e "s/^sms = 4/sms = 12\nsm_spread = 40\n$gpcs/" -e 's/^compute = .*/compute = 10.0/' \
    -e 's/^size = 256 KiB/size = 2 MiB/' "$tiny" >by-sm
  "$tool" measure --sim "$PWD/by-sm" --only L2Cache,TensorMemory --raw raw >/dev/null
  run_split "$tool" report page.html --sim "$PWD/by-sm" --raw raw
  is 0 "$status"
  well_formed page.html
  local picture sm
  picture=$(sed -n "/id='sms'/,/<\/figure>/p" page.html)
  is 12 "$(grep -c "<rect class='bar'" <<<"$picture")"
  for sm in {0..11}; do has "$picture" ">$sm</text>"; done
  is "GPC 0 0 1 2 3 GPC 1 4 5 6 7 8 9 10 11" \
    "$(grep -oE "GPC [0-9]+|class='q'[^>]*>[0-9]+" <<<"$picture" | sed 's/.*>//' | xargs)"
  # the slowest SM of the value is in the picture
  local slowest
  slowest=$("$tool" show --all --sim "$PWD/by-sm" | sed -n 's/.*the latency depends on the SM: .* to \([0-9.]*\) cycles.*/\1/p')
  has "$picture" ">$(LC_ALL=C printf '%.0f' "$slowest")</text>"
  # GPUs whose SMs are alike get no such picture
  "$tool" measure --sim "$tiny" --only L2Cache --raw alike >/dev/null
  "$tool" report other.html --sim "$tiny" --raw alike
  has_not "$(cat other.html)" "id='sms'"
  # Tensor Memory is in the page, in JSON and in the record that lstopo shows
  has "$(cat page.html)" "<h3 id='TensorMemory'>TensorMemory</h3>"
  has "$(cat page.html)" "From a table in this program."
  is '"table"' "$("$tool" show --json --sim "$PWD/by-sm" | jq '.. | objects | .CapacitySource? // empty' | grep -m 1 table)"
  grep -q 'name="gpu0-Tensor 256KiB x12"' "$records/sim-by-sm.xml"
  # all other elements as well as this one are in the export
  has "$("$tool" export --format xml --sim "$PWD/by-sm")" 'subtype="TensorMemory"'
}

@test "--raw: a file that cannot be used costs itself only, and the page names it" {
  cp -r "$curves" raw
  printf '# hwloc-gpucache 0.1.0 raw data\n# form: curve\n# id: a\n# model: NVIDIA H200\nbytes\tloads\n1\n' >'raw/<cut>.tsv'
  mkfifo raw/fifo.tsv
  ln -s "$curves/gpu0-L2Cache-capacity.tsv" raw/link.tsv
  local one=$curves/gpu0-L2Cache-capacity.tsv
  sed '/^[^#]/s/^bytes/bites/' "$one" >raw/columns.tsv
  cmp -s "$one" raw/columns.tsv && return 1
  run_split timeout 20 "$tool" report page.html "$record" --raw raw
  is 1 "$status"
  is page.html "$output"
  well_formed page.html
  is 4 "$(grep -c '<figure>' page.html)"
  is 4 "$(grep -c "<p class='note'>Note: the file " page.html)"
  has "$(cat page.html)" "Note: the file &lt;cut&gt;.tsv is not drawn: row 1 does not have 2 columns."
  has "$(cat page.html)" "Note: the file fifo.tsv is not drawn: it is not a regular file"
  has "$errors" "hwloc-gpucache: raw/fifo.tsv: it is not a regular file"
  has "$errors" "hwloc-gpucache: raw/columns.tsv: "
  has "$errors" "hwloc-gpucache: raw/link.tsv: it is a symbolic link"
  is 4 "$(wc -l <<<"$errors")"
}

@test "several GPUs: a page for each, named after the id" {
  cp "$tiny" other
  sed -i 's/^model = .*/model = Other GPU/' other
  run_split "$tool" report both.html --sim "$tiny,$PWD/other"
  is 0 "$status"
  is "both-sim-other.html both-sim-tiny.html" "$(sort <<<"$output" | xargs)"
  is "both-sim-other.html both-sim-tiny.html" "$(pages)"
  has "$(cat both-sim-other.html)" "<h1>Other GPU</h1>"
  has "$(cat both-sim-tiny.html)" "<h1>Tiny Test GPU</h1>"
  # in another directory
  mkdir out
  run_split "$tool" report out/x.htm --sim "$tiny"
  is out/x.htm "$output"
  [ -s out/x.htm ]
  # two records of one GPU would have one name
  cp "$record" old.xml
  run_split "$tool" report two.html "$record" old.xml
  is 2 "$status"
  has "$errors" "are records of the same GPU"
  is '' "$(find . -name 'two*')"
}

@test "a hostile record and hostile curves: text only" {
  local bad='&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &quot;x&quot; &#39;y&#39; $ $$ ]]&gt;'
  bad=${bad//&/\\&} # for sed
  sed -e "s|value=\"NVIDIA H200\"|value=\"$bad\"|; s|absent:132 SMs share it|absent:$bad|" \
    -e "s|name=\"GPUCacheVersion\" value=\"[^\"]*\"|name=\"GPUCacheVersion\" value=\"\&lt;img onerror=x\&gt;\"|" \
    -e 's|name="LineBytes"|name="Future\&lt;u\&gt;Thing"|' "$record" >bad.xml
  mkdir raw
  sed -e "s|^# model: .*|# model: <script>alert(1)</script> \&amp; \"x\" 'y' \$ \$\$ ]]>|; s|^# property: .*|# property: <b onload='x'>|" \
    -e "s|^# found: .*|# found: </svg><script>|; s|^# unit: .*|# unit: <u>|; s|^# confidence: .*|# confidence: '\"<|" \
    -e "s|^# element: .*|# element: </h3><script>|; s|^# id: .*|# id: GPU-9f079e68-9ad6-7142-2358-726a87bf4fcd|; s|^# date: .*|# date: <i>|" \
    "$curves/gpu0-L2Cache-capacity.tsv" >raw/x.tsv
  run_split "$tool" report page.html bad.xml --raw raw '<b>'
  is 3 "$status" # no GPU is named <b>
  run_split "$tool" report page.html bad.xml --raw raw
  is 0 "$status"
  well_formed page.html
  local word
  for word in '<script' '<b>' '<b ' '<u>' '<i>' '<img' '</h3><script'; do has_not "$(cat page.html)" "$word"; done
  has "$(cat page.html)" "&lt;script&gt;alert(1)&lt;/script&gt; &amp;amp; &quot;x&quot; &#39;y&#39; \$ \$\$ ]]&gt;"
  has "$(cat page.html)" "&lt;img onerror=x&gt;"
}

@test "numbers that no curve has do no harm" {
  mkdir raw
  local value
  for value in 1e308 -1e308 1e-320 nan inf 9007199254740993 '' x; do
    awk -F'\t' -v OFS='\t' -v v="$value" '/^#/ || /^bytes/ { print; next } { if (NR % 3) $5 = v; if (NR % 5) $9 = v; print }' \
      "$curves/gpu0-L2Cache-capacity.tsv" >raw/x.tsv
    run_split timeout 20 "$tool" report page.html "$record" --raw raw
    [ "$status" -le 1 ]
    [ "$status" = 1 ] || well_formed page.html
  done
  printf '# hwloc-gpucache 0.1.0 raw data\n# form: table\n# id: a\n# model: NVIDIA H200\n# property: p\nSM\tx\n1e16\t1e16\n10000000000000002\t10000000000000002\n' >raw/x.tsv
  run_split timeout 20 "$tool" report page.html "$record" --raw raw
  is 0 "$status"
  well_formed page.html
}

@test "wrong usage: a sentence, and no file is changed" {
  cp "$record" mine.xml
  run_split "$tool" report mine.xml
  is 2 "$status"
  has "$errors" "report needs the name of the page first, FILE.html, not 'mine.xml'"
  cmp "$record" mine.xml
  for words in "" ".html $record" "x/.html $record"; do
    # shellcheck disable=SC2086 # several words
    run_split "$tool" report $words
    is 2 "$status"
    is '' "$output"
  done
  run_split "$tool" report page.html --json
  is 2 "$status"
  is '' "$(pages)"
}

@test "failures: bad records and curves, directories that cannot be used; an earlier page stays" {
  echo earlier >page.html
  echo '<topology>' >bad.xml
  mkdir empty
  printf '# hwloc-gpucache 0.1.0 raw data\n# form: curve\n# id: a\n# model: NVIDIA H200\nbytes\n1 2 3\t\n' >empty.tsv
  run_split "$tool" report page.html bad.xml
  is 1 "$status"
  has "$errors" bad.xml
  run_split "$tool" report page.html ./missing.xml
  is 1 "$status"
  run_split "$tool" report page.html "$record" --raw missing
  is 1 "$status"
  is "hwloc-gpucache: cannot open the directory missing: No such file or directory" "$errors"
  run_split "$tool" report page.html "$record" --raw empty
  is 1 "$status"
  has "$errors" "empty has no curve of GPU-9f079e68"
  mv empty.tsv empty
  run_split "$tool" report page.html "$record" --raw empty
  is 1 "$status"
  has "$errors" "empty/empty.tsv: a curve needs a column 'loads'"
  has "$errors" "empty has no curve of GPU-9f079e68"
  run_split "$tool" report missing/page.html "$record"
  is 1 "$status"
  has "$errors" missing
  is earlier "$(cat page.html)"
  is page.html "$(pages)"
  # no GPU at all
  run_split "$tool" report page.html
  is 3 "$status"
  is earlier "$(cat page.html)"
}

@test "a directory that is not writable, a name that is a directory, a full disk" {
  mkdir locked page.html
  chmod 500 locked
  run_split "${plain[@]}" "$tool" report locked/page.html "$record"
  is 1 "$status"
  has "$errors" locked
  run_split "$tool" report page.html "$record"
  is 1 "$status"
  is '' "$output"
  is '' "$(find page.html locked -mindepth 1)"
  run_split bash -c 'ulimit -f 8; "$@"' run "$tool" report small.html "$record"
  is 1 "$status"
  is page.html "$(pages)"
  chmod 700 locked
}

@test "a topology whose ids are paths makes no page, neither here nor elsewhere" {
  mkdir -p a/pages/out-
  sed 's/.*"GPUCacheUUID" value="/<object type="OSDev" gp_index="99" name="x" subtype="Other" osdev_type="1"\/>&\/..\/..\/evil/' "$record" >topology.xml
  run_split "$tool" report a/pages/out.html topology.xml "$record"
  is 1 "$status"
  has "$errors" "topology.xml: line"
  has "$errors" "without the id of its GPU"
  is ./a/pages/out.html "$(find . -name '*html*')" # of the other GPU
}
