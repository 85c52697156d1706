#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""at-once.py <SASS: how many loads of global memory a warp issues before it needs the data of one.

Reads the output of cuobjdump -sass for the plain kernels. The count is that of the basic block with
the most loads, which is the unrolled loop. Prints TSV: function, loads."""
import re
import sys

REGISTER = re.compile(r"\bR(\d+)\b")
SIZES = {"64": 2, "128": 4}


def block_count(instructions):
    """The most loads in a row in a basic block that come before a use of any of them."""
    pending, now, best = set(), 0, 0
    for text in instructions:
        opcode, _, operands = re.sub(r"^@!?U?P\w+ ", "", text).partition(" ")
        parts = operands.split(",", 1)
        load = opcode.startswith("LDG")
        # a load writes its first operand; an address of 64 bits also uses the next register
        read = parts[1] if load and len(parts) > 1 else operands
        used = {int(n) for n in REGISTER.findall(read)}
        used |= {int(n) + 1 for n in re.findall(r"\bR(\d+)\.64", read)}
        if opcode.startswith("STG") and "128" in opcode:
            used |= {n + i for n in set(used) for i in range(4)}
        if used & pending:
            pending, now = set(), 0
        if load:
            first = int(REGISTER.search(parts[0]).group(1))
            width = next((n for size, n in SIZES.items() if "." + size in opcode), 1)
            pending |= {first + i for i in range(width)}
            now += 1
            best = max(best, now)
    return best


def blocks_of(instructions):
    """Basic blocks: targets of branches begin one, branches and barriers end one."""
    targets = {int(t, 16) for _, text in instructions
               for t in re.findall(r"\b(?:BRA|BSSY)\b.*?(0x[0-9a-f]+)", text)}
    block = []
    for address, text in instructions:
        if address in targets and block:
            yield block
            block = []
        block.append(text)
        if re.search(r"\b(BRA|EXIT|BAR|WARPSYNC)\b", text):
            yield block
            block = []
    yield block


function, functions = None, {}
for line in sys.stdin:
    found = re.search(r"Function : (\S+)", line)
    if found:
        function = functions.setdefault(found.group(1), [])
        continue
    found = re.match(r"\s+/\*([0-9a-f]{4,5})\*/\s+(.*?)\s*;", line)
    if found and function is not None:
        function.append((int(found.group(1), 16), found.group(2)))
for name, instructions in functions.items():
    if "Plain" not in name:
        continue
    counts = [(sum("LDG" in text for text in b), block_count(b)) for b in blocks_of(instructions)]
    print(re.match(r"_Z\d+(.*?)I5Plain", name).group(1), max(counts)[1], sep="\t")
