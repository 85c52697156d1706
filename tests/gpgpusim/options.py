#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""options.py GPGPU-SIM FRAGMENT...: does GPGPU-Sim's own parser accept the active options of these
exports (export --format accelsim)?  GPGPU-SIM is its source tree; it need not be built.  All options
that its sources register are registered, with their types, in a small program with its parser, which
reads each fragment.  The options in comments must exist, too.

Exit status: 0 all are accepted, 1 one is not."""
import pathlib
import re
import subprocess
import sys
import tempfile

TYPES = {
    "INT32": "int", "UINT32": "unsigned", "INT64": "long long", "UINT64": "unsigned long long",
    "BOOL": "bool", "FLOAT": "float", "DOUBLE": "double", "CHAR": "char", "CSTR": "char *",
}
REGISTER = re.compile(r'option_parser_register\(\s*\w+,\s*"(-[^"]+)",\s*OPT_(\w+)')

PROGRAM = """
#include "option_parser.h"
int main(int, char **argv)
{{
  option_parser_t parser = option_parser_create();
{registrations}
  option_parser_cfgfile(parser, argv[1]);
}}
"""


def main():
    tree = pathlib.Path(sys.argv[1]) / "src"
    options = {}
    for source in list(tree.rglob("*.cc")) + list(tree.rglob("*.h")):
        options.update(REGISTER.findall(source.read_text(errors="replace")))
    if len(options) < 100:
        sys.exit(f"{tree} has {len(options)} options: is this the source of GPGPU-Sim?")
    lines = [
        f'  {{ static {TYPES[kind]} value; option_parser_register(parser, "{name}", OPT_{kind}, &value, "", "0"); }}'
        for name, kind in sorted(options.items())
    ]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "parse"
        (program.with_suffix(".cc")).write_text(PROGRAM.format(registrations="\n".join(lines)))
        subprocess.run(["c++", "-w", "-I", tree, program.with_suffix(".cc"), tree / "option_parser.cc",
                        "-o", program], check=True)
        for fragment in sys.argv[2:]:
            text = pathlib.Path(fragment).read_text()
            active = re.findall(r"^(-\S+)", text, re.M)
            comments = re.findall(r"(?:^#|, )(-[a-z]\w+(?::\w+)?)", text, re.M)
            unknown = [name for name in comments if name not in options]
            result = subprocess.run([program, fragment], capture_output=True, text=True, check=False)
            message = result.stderr.strip() + " ".join(unknown)
            print(f"{fragment}: {len(active)} active options, {len(comments)} in comments:",
                  message or "accepted")
            failed += result.returncode != 0 or bool(unknown) or not active
    sys.exit(1 if failed else 0)


main()
