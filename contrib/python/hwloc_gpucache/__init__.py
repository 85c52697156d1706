# SPDX-License-Identifier: BSD-3-Clause
"""The memory hierarchy of GPUs, as hwloc-gpucache measured it.

    import hwloc_gpucache
    for gpu in hwloc_gpucache.gpus():
        print(gpu.model, gpu.element("L1Cache").number("CapacityBytes"))

gpus() returns the GPUs of this machine; read() those in a file: a record, an hwloc topology (XML), or the
output of "hwloc-gpucache show --json". The keys of values (CapacityBytes ...) and the subtypes of
elements (L1Cache ...) are those that <hwloc/gpucache.h> explains.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, Optional, Union

if TYPE_CHECKING:
    import pandas

__all__ = ["GPU", "Element", "Value", "Values", "gpus", "read", "rows", "to_frame"]

Number = Union[int, float]

# The end of a key is its unit.
_UNITS = {
    "BytesPerCycle": "B/cycle",
    "PerCycle": "1/cycle",
    "BytesPerBlock": "B",
    "Bytes": "B",
    "Cycles": "cycles",
    "GBps": "GB/s",
    "Ns": "ns",
    "KHz": "kHz",
    "MHz": "MHz",
    "Bits": "bit",
    "Milliseconds": "ms",
    "Percent": "%",
}


@dataclass(frozen=True)
class Value:
    """A value of a GPU or an element, or the reason why there is none."""

    key: str
    """For example "CapacityBytes". Of an absent value, the key without unit: "Capacity"."""
    value: Union[int, float, str, None]
    """A number; the text of a record if that is no plain number; None if the value is absent."""
    unit: str
    """"B", "cycles", "GB/s" ("GB" is 10^9 bytes) ...; "" for counts, texts and absent values."""
    source: Optional[str]
    """"measured", "api", "sysfs", "table", "absent:" and the reason, or None if the record does not say."""
    confidence: Optional[float]
    """Of a measured value: the probability that it is right."""

    def pairs(self) -> dict[Union[int, str], Number]:
        """A list such as "0:222208,15:189440,default:222208" (CarveoutTable, HostReadGBps) as a dict."""
        pairs = [item.split(":") for item in str(self.value).split(",")]
        if any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"{self.key} is not a list of pairs: {self.value}")
        return {int(left) if left.isdigit() else left: _number(right) for left, right in pairs}


@dataclass(frozen=True)
class Values:
    """What GPUs and elements have in common."""

    values: tuple[Value, ...] = field(repr=False)
    """In the order of the record, with the absent ones."""

    def get(self, key: str) -> Optional[Value]:
        """The value with this key, or None."""
        return next((v for v in self.values if v.key == key and v.value is not None), None)

    def number(self, key: str, default: Optional[Number] = None) -> Number:
        """A value as a number.

        If there is none, returns default, or raises LookupError with the reason if there is no default.
        """
        value = self.get(key)
        if value and not isinstance(value.value, str):
            return value.value  # type: ignore[return-value]
        if default is not None:
            return default
        problem = getattr(self, "problem", None) or "the record does not have it"
        reason = "it is not a number" if value else problem
        for absent in self.values:
            if absent.value is None and absent.key == _split(key)[0]:
                reason = str(absent.source).removeprefix("absent:")
        raise LookupError(f"no {key}: {reason}")


@dataclass(frozen=True)
class Element(Values):
    """A cache, memory or TLB. One object stands for all instances of that kind."""

    subtype: str
    """"DeviceMemory", "L2Cache", "L1Cache", "SharedMemory" ..."""
    name: str
    """As lstopo shows it: "gpu0-L1 217KiB x132"."""
    parent: Optional[str]
    """The subtype of the element around this one."""


@dataclass(frozen=True)
class GPU(Values):
    """A GPU. Its own values are keys without the prefix GPUCache: number("SMs")."""

    name: str
    id: str
    model: str
    driver: str
    elements: tuple[Element, ...] = field(repr=False)
    """An element comes before those inside it. Empty if nothing is known: see problem."""
    problem: Optional[str] = None
    """Why the GPU has no record."""

    def element(self, subtype: str) -> Element:
        """The element with this subtype; LookupError if the GPU has none."""
        for element in self.elements:
            if element.subtype == subtype:
                return element
        raise LookupError(f"{self.name} has no {subtype}" + (f": {self.problem}" if self.problem else ""))

    def flush_bytes(self) -> int:
        """Size of the buffer that displaces the content of all caches when all SMs read it.

        If the record has FlushBytes, it is that value, which was measured with one read of the buffer:
        fewer than 5 % of the lines of before are left.
        Otherwise it is what hwloc-gpucache itself reads to empty the caches
        (src/measure/walk/evict.c): twice the L2 or the L3, whichever is larger, and 32 MiB. The size
        of a cache is NominalBytes, or what one SM can use (CapacityBytes or TotalBytes) times
        Partitions if that is more; in both cases times Instances. LookupError if none of these is
        known.

        Read a buffer twice as large if hardly anything may be left.
        """
        known = int(self.number("FlushBytes", 0))
        if known:
            return known
        shared = [_whole_cache(e) for e in self.elements if e.subtype in ("L2Cache", "L3Cache")]
        if not shared:
            raise LookupError(f"{self.name}: neither L2Cache nor L3Cache is known")
        return 2 * max(shared) + (32 << 20)


def _whole_cache(cache: Element) -> int:
    """The bytes of all instances and partitions of an L2 or L3."""
    used = max(cache.number("CapacityBytes", 0), cache.number("TotalBytes", 0)) * cache.number("Partitions", 1)
    one = max(cache.number("NominalBytes", 0), used)
    return int((one or cache.number("CapacityBytes")) * cache.number("Instances", 1))


def gpus(sim: Optional[str] = None, timeout: Optional[float] = None) -> list[GPU]:
    """The GPUs of this machine.

    Runs "hwloc-gpucache show --json", which uses valid records, and measures GPUs that have none. If the
    command is not installed, returns all records that are stored, also those of other machines.

    sim: names of simulated GPUs to use instead ("h200,mi300x"). timeout: seconds that measuring may take.
    Raises RuntimeError with the message of the command if it fails. No GPU is an empty list.
    """
    tool = os.environ.get("HWLOC_GPUCACHE_TOOL") or shutil.which("hwloc-gpucache")
    if not tool:
        return _stored(sim)
    command = [tool, "show", "--json"]
    if sim:
        command += ["--sim", sim]
    if timeout is not None:
        command += ["--timeout", str(timeout)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode not in (0, 3):  # 3: there is no GPU
        raise RuntimeError(done.stderr.decode(errors="replace").strip() or f"{tool}: status {done.returncode}")
    return _parse(done.stdout, tool)


_SITE = "/var/cache/hwloc-gpucache"


def _stored(sim: Optional[str]) -> list[GPU]:
    """The GPUs of the records, of the user before those of the site. Files that cannot be read are left out."""
    own = os.environ.get("HWLOC_GPUCACHE_DIR")
    if not own:
        own = os.path.join(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "hwloc-gpucache")
    found: dict[str, GPU] = {}
    for directory in (own, _SITE):
        for file in sorted(Path(directory).glob("*.xml")):
            with contextlib.suppress(OSError, ValueError):
                for gpu in read(file):
                    found.setdefault(gpu.id, gpu)
    wanted = ["sim-" + name for name in sim.split(",")] if sim else found
    return [found[i] for i in wanted if i in found]


def read(file: Union[str, os.PathLike[str]]) -> list[GPU]:
    """The GPUs in a record, in an hwloc topology (XML) or in the output of "show --json".

    Raises OSError, or ValueError if the file is something else.
    """
    return _parse(Path(file).read_bytes(), os.fspath(file))


def _parse(data: bytes, name: str) -> list[GPU]:
    try:
        if data.lstrip().startswith(b"<"):
            return list(_from_xml(ElementTree.fromstring(data)))
        return [_from_json(gpu) for gpu in json.loads(data)]
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f'{name}: JSON, but not the output of "show --json"') from error
    except (ElementTree.ParseError, ValueError) as error:
        raise ValueError(f"{name}: neither XML of hwloc nor JSON of hwloc-gpucache: {error}") from error


def _from_json(gpu: Mapping[str, Any]) -> GPU:
    elements = tuple(
        Element(_values(e), e["subtype"], e["name"], e["parent"]) for e in gpu.get("elements", ())
    )
    return GPU(
        _values(gpu), gpu["name"], gpu["id"], gpu["model"], gpu["driver"], elements, gpu.get("problem")
    )


# Infos of DeviceMemory that concern the whole GPU have this prefix.
_PREFIX = "GPUCache"
_IDENTITY = ("UUID", "Model", "Driver", "VBIOS", "MIG")


def _from_xml(node: ElementTree.Element) -> Iterator[GPU]:
    for child in node.iterfind("object"):
        if child.get("subtype") != "DeviceMemory":
            yield from _from_xml(child)
            continue
        infos = _infos(child)
        facts = {k[len(_PREFIX) :]: v for k, v in infos.items() if k.startswith(_PREFIX)}
        uuid, model, driver, _, _ = (facts.pop(key, "") for key in _IDENTITY)
        name = child.get("name", "").split("-")[0]
        yield GPU(_values(_numbers(facts)), name, uuid, model, driver, tuple(_elements(child, None)))


def _elements(node: ElementTree.Element, parent: Optional[str]) -> Iterator[Element]:
    # Backend is a key of hwloc: which component has made the object
    infos = {k: v for k, v in _infos(node).items() if not k.startswith(_PREFIX) and k != "Backend"}
    subtype = node.get("subtype", "")
    yield Element(_values(_numbers(infos)), subtype, node.get("name", ""), parent)
    for child in node.iterfind("object"):
        yield from _elements(child, subtype)


def _infos(node: ElementTree.Element) -> dict[str, str]:
    return {info.get("name", ""): info.get("value", "") for info in node.iterfind("info")}


def _numbers(infos: Mapping[str, str]) -> dict[str, Union[Number, str]]:
    """The same conversion as that of "show --json"."""
    texts = ("Version", "ComputeCapability")  # 10.10 is not 10.1
    return {key: text if key in texts else _number(text) for key, text in infos.items()}


def _number(text: str) -> Any:
    """A plain decimal number, or the text if it is something else."""
    if not re.fullmatch(r"(0|[1-9][0-9]{0,17})(\.[0-9]+)?", text):
        return text
    return float(text) if "." in text else int(text)


def _split(key: str) -> tuple[str, str]:
    """The property and the unit of a key: ("Capacity", "B") of "CapacityBytes"."""
    if key == "IdleLatencyNs":
        key = "LatencyNs"  # both are of one property
    for end, unit in _UNITS.items():
        if key.endswith(end):
            return key[: -len(end)], unit
    return key, ""


def _values(infos: Mapping[str, Any]) -> tuple[Value, ...]:
    """All values of an object. Keys of values begin with a capital letter, all others do not."""
    values = []
    for key, value in infos.items():
        if not key[:1].isupper() or key.endswith("Confidence"):
            continue
        if key.endswith("Source"):
            of = key[: -len("Source")]
            if value.startswith("absent:"):
                values.append(Value(of, None, "", value, None))
            elif of == "SharedWith" and of not in infos:  # with no other element
                values.append(Value(of, "", "", value, infos.get(of + "Confidence")))
            continue
        of, unit = _split(key)
        values.append(Value(key, value, unit, infos.get(of + "Source"), infos.get(of + "Confidence")))
    return tuple(values)


def rows(gpus: Iterable[GPU]) -> Iterator[dict[str, Any]]:
    """All values, each as a dict: gpu, id, element ("" for the GPU itself), and the fields of Value."""
    for gpu in gpus:
        for element, values in [("", gpu.values)] + [(e.subtype, e.values) for e in gpu.elements]:
            for value in values:
                yield {"gpu": gpu.name, "id": gpu.id, "element": element, **vars(value)}


def to_frame(gpus: Iterable[GPU]) -> pandas.DataFrame:
    """rows() as a table of pandas."""
    import pandas

    return pandas.DataFrame(rows(gpus))
