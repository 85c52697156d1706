# SPDX-License-Identifier: BSD-3-Clause
"""contrib/python. make sets the environment: see tests/local.mk."""

import dataclasses
import os
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import hwloc_gpucache as package
import pytest

TOP = Path(os.environ["top_srcdir"])
TOOL = os.environ["HWLOC_GPUCACHE_TOOL"]
SMALL = str(TOP / "tests/tool/small")
REAL = TOP / "doc/results/structure/h200.xml"
SIMULATED = sorted(file.stem for file in (TOP / "tests/data/values").glob("*.tsv"))


@pytest.fixture(autouse=True)
def a_machine_without_gpus(tmp_path, monkeypatch):
    for name in ("HWLOC_GPUCACHE_SIM", "HWLOC_GPUCACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "nothing").mkdir()
    monkeypatch.setenv("HWLOC_FSROOT", str(tmp_path / "nothing"))
    monkeypatch.setenv("HWLOC_THISSYSTEM", "1")
    monkeypatch.setenv("HWLOC_GPUCACHE_DIR", str(tmp_path / "records"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def record(tmp_path):
    """A function that returns the record of a simulated GPU, made from the stored values."""

    def make(name):
        values = TOP / "tests"
        file = tmp_path / f"{name}.xml"
        awk = ["awk", "-f", values / "values/record-of-values.awk", values / f"data/values/{name}.tsv"]
        file.write_bytes(subprocess.run(awk, check=True, stdout=subprocess.PIPE).stdout)
        return file

    return make


def content(gpus):
    """Everything, in any order of elements and values."""
    return [
        (repr(gpu), set(gpu.values), {(e.subtype, e.name, e.parent, frozenset(e.values)) for e in gpu.elements})
        for gpu in gpus
    ]


@pytest.mark.parametrize("name", SIMULATED + ["real"])
def test_xml_and_json_are_read_alike(name, record, tmp_path):
    file = REAL if name == "real" else record(name)
    json = tmp_path / "show.json"
    json.write_bytes(subprocess.run([TOOL, "show", "--json", file], check=True, stdout=subprocess.PIPE).stdout)
    assert content(package.read(file)) == content(package.read(json))
    assert len(package.read(file)[0].elements) > 5


def test_every_source_and_confidence_belongs_to_a_value():
    gpu = package.read(REAL)[0]
    known = {element.subtype: element for element in gpu.elements}
    found = 0
    for node in ElementTree.parse(REAL).iter("object"):
        for info in node.iterfind("info"):
            key = info.get("name")
            if not key.endswith(("Source", "Confidence")):
                continue
            found += 1
            owner, prefix = (gpu, "GPUCache") if key.startswith("GPUCache") else (known[node.get("subtype")], "")
            rest = key[len(prefix) :]
            if key.endswith("Source"):
                assert info.get("value") in [v.source for v in owner.values if rest[:-6] in v.key], key
            else:
                assert float(info.get("value")) in [v.confidence for v in owner.values if rest[:-10] in v.key], key
    assert found > 100


def test_values_have_units_sources_and_confidences():
    gpu = package.read(REAL)[0]
    l1 = gpu.element("L1Cache")
    capacity = l1.get("CapacityBytes")
    assert capacity == package.Value("CapacityBytes", 222208, "B", "measured", capacity.confidence)
    assert f'"CapacityConfidence" value="{capacity.confidence:.4f}"' in REAL.read_text()
    assert l1.get("LatencyNs").unit == "ns" and l1.get("ReadBytesPerCycle").unit == "B/cycle"
    assert l1.get("CarveoutTable").pairs()[86] == 21504
    assert l1.get("CarveoutTable").pairs()["default"] == 222208
    assert (l1.parent, gpu.element("DeviceMemory").parent) == ("L2Cache", None)
    assert gpu.get("SharedBytesPerBlock").unit == "B" and gpu.get("CoresPerSM").source == "table"
    assert gpu.get("ComputeCapability").value == "9.0"
    with pytest.raises(dataclasses.FrozenInstanceError):
        l1.name = "other"
    assert hash(gpu)  # can be a key of a cache


def test_a_topology_with_other_devices_and_two_gpus():
    first, second = package.read(TOP / "tests/data/two-gpus.xml")
    assert (first.name, first.id, second.name, second.id) == ("gpu0", "GPU-aaaa", "gpu1", "sim-p6000")
    assert [e.subtype for e in first.elements] == ["DeviceMemory", "L2Cache", "L1Cache", "SharedMemory"]
    assert second.element("L1Cache").number("LatencyCycles") == 82
    with pytest.raises(LookupError, match="no CapacityBytes: absent:noisy"):
        first.element("L2Cache").number("CapacityBytes")
    with pytest.raises(LookupError, match="not a number"):
        first.element("L1Cache").number("ReadBytesPerCycle")  # "127,5"
    with pytest.raises(LookupError, match="the record does not have it"):
        first.number("XCDs")
    with pytest.raises(LookupError, match="gpu1 has no L2Cache"):
        second.element("L2Cache")
    assert first.number("XCDs", 1) == 1


@pytest.mark.parametrize("text", ["", "<a", "1", "[1]", "[{}]", "garbage"])
def test_other_files_are_refused_by_name(text, tmp_path):
    file = tmp_path / "other.xml"
    file.write_text(text)
    with pytest.raises(ValueError, match="other.xml"):
        package.read(file)


@pytest.mark.parametrize("name", SIMULATED)
def test_flush_bytes_fill_every_shared_cache(name, record):
    gpu = package.read(record(name))[0]
    for element in gpu.elements:
        if element.subtype in ("L2Cache", "L3Cache") and element.get("CapacityBytes"):
            assert gpu.flush_bytes() >= element.number("CapacityBytes") * element.number("Instances", 1)


def test_flush_bytes_are_what_the_command_reads(record, tmp_path):
    source = (TOP / "src/measure/walk/evict.c").read_text()
    more = int(re.search(r"#define EMPTY_MORE \(\(uint64_t\)(\d+) << 20\)", source)[1]) << 20
    assert "2 * l2 + more" in source and "#define LEAST_L3S 2 " in source
    file = tmp_path / "changed.xml"

    def flush(*changes, name="h200"):
        """Of a record without FlushBytes, as earlier revisions wrote it, with these changes."""
        changed, n = re.subn('<info name="GPUCacheFlushBytes"[^>]*>', "", record(name).read_text())
        assert n
        for pattern, to in changes:
            changed, n = re.subn(pattern, to, changed)
            assert n
        file.write_text(changed)
        return package.read(file)[0].flush_bytes()

    assert flush() == 2 * (60 << 20) + more
    assert flush(name="mi300x") == 2 * (256 << 20) + more
    nominal = ('(?s)(subtype="L2Cache".*?)<info name="NominalBytes"[^>]*>', r"\1")
    capacity = ('(?s)(subtype="L2Cache".*?)<info name="CapacityBytes"[^>]*>', r"\1")
    of_one_sm = package.read(record("h200"))[0].element("L2Cache").number("CapacityBytes")
    assert flush(nominal) == 2 * 2 * of_one_sm + more  # two partitions
    without_l3 = ('subtype="L3Cache"', 'subtype="Other"')
    assert flush(without_l3, name="mi300x") == 2 * 8 * (4 << 20) + more  # each XCD has an L2
    with pytest.raises(LookupError, match="no CapacityBytes"):
        flush(nominal, capacity)
    with pytest.raises(LookupError, match="neither"):
        flush(('subtype="L2Cache"', 'subtype="Other"'))
    assert flush(('(subtype="DeviceMemory".*>)', r'\1<info name="GPUCacheFlushBytes" value="12345"/>')) == 12345


def test_gpus_are_measured_or_stored_or_absent(monkeypatch, tmp_path):
    assert package.gpus() == []
    measured = package.gpus(sim=SMALL, timeout=600)
    assert [gpu.number("SMs") > 0 for gpu in measured] == [True]
    assert content(package.gpus(sim=SMALL)) == content(measured)  # from the record: it has the same date

    monkeypatch.setenv("HWLOC_GPUCACHE_SIM", SMALL)
    lstopo = [os.environ["LSTOPO"], "--of", "xml"]
    topology = Path("topology.xml")
    topology.write_bytes(subprocess.run(lstopo, check=True, stdout=subprocess.PIPE).stdout)
    # a topology has no object for an element without values
    having = tuple(e for e in measured[0].elements if any(v.value is not None for v in e.values))
    assert content(package.read(topology)) == content([dataclasses.replace(measured[0], elements=having)])

    monkeypatch.delenv("HWLOC_GPUCACHE_TOOL")
    monkeypatch.setenv("PATH", "")
    assert content(package.gpus()) == content(measured)
    assert content(package.gpus(sim=measured[0].id[len("sim-") :])) == content(measured)
    assert package.gpus(sim="h200") == []

    monkeypatch.setattr(package, "_SITE", str(REAL.parent))
    (tmp_path / "records" / "copy.xml").write_bytes(REAL.read_bytes().replace(b"NVIDIA H200", b"own"))
    models = [gpu.model for gpu in package.gpus()]
    assert sorted(models) == ["NVIDIA H100 80GB HBM3", "Small Test GPU", "own"]  # the own record goes first


def test_failures_of_the_command():
    gpu = package.gpus(sim="nonesuch")[0]
    assert "nonesuch" in gpu.problem and not gpu.elements
    with pytest.raises(LookupError, match="no L1Cache: no simulated GPU is named"):
        gpu.element("L1Cache")
    with pytest.raises(RuntimeError, match="timeout"):
        package.gpus(timeout=-1)


def test_rows_and_frame():
    gpus = package.read(REAL)
    rows = list(package.rows(gpus))
    assert len(rows) == sum(len(owner.values) for owner in (gpus[0], *gpus[0].elements))
    assert {"gpu": "gpu0", "id": gpus[0].id, "element": "L1Cache", "key": "LineBytes", "value": 128,
            "unit": "B", "source": "measured", "confidence": 0.9925} in rows  # fmt: skip
    pytest.importorskip("pandas")
    frame = package.to_frame(gpus)
    assert len(frame) == len(rows)
    assert frame[(frame.element == "L1Cache") & (frame.key == "LineBytes")].value.item() == 128


@pytest.mark.parametrize("name", SIMULATED)
def test_the_example_of_the_document(name, record, monkeypatch, capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", (TOP / "doc/python.md").read_text(), re.S | re.M)
    file = record(name)
    monkeypatch.setattr(package, "gpus", lambda: package.read(file))
    names = {}
    for block in blocks:
        if "matplotlib" in block:
            continue
        exec(compile(block, "doc/python.md", "exec"), names)
    assert names["shared_tile"] ** 2 * 16 <= names["shared"] and names["l1_tile"] > 0
    assert "confidence" in capsys.readouterr().out
    if name not in ("h200", "mi300x"):
        return  # drawing is slow
    pytest.importorskip("matplotlib")
    exec(compile(next(b for b in blocks if "matplotlib" in b), "doc/python.md", "exec"), names)
    assert Path("roofline.png").stat().st_size > 10000
