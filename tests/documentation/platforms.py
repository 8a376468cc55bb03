# SPDX-License-Identifier: MIT
"""Compares a table of platforms with what tests say of them, or writes it.

    platforms.py [--write] DOCUMENT FOLDER TEST..

A test folder/name that has passed leaves the first cells of its row in FOLDER/name: the platform, what compiled it, what
ran it, and which bits it gave, with @program@ for the first number of a program's version. The last cell is the test and
its date.
"""
import datetime
import os
import pathlib
import re
import subprocess
import sys

HEADER = "| platform | compiled by | run by | bits | test, date |\n|---|---|---|---|---|\n"
DATE = re.compile(r"\d{4}-\d\d-\d\d")


def version(program):
    said = subprocess.run([program, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return re.search(r"(\d+)(?:\.\d+|-posix)", said)[1]


def row(folder, test):
    file = folder / test.split("/")[1]
    cells = re.sub(r"@([^@ ]+)@", lambda program: version(program[1]), file.read_text().strip())
    date = datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.timezone.utc).date()
    return f"| {cells} | `{test}`, {date} |\n"


write = sys.argv[1] == "--write"
document, folder, *tests = sys.argv[2:] if write else sys.argv[1:]
lacking = [test for test in tests if not (pathlib.Path(folder) / test.split("/")[1]).is_file()]
if lacking:
    print(f"skipped: these tests have not run here, or lack a tool: {', '.join(lacking)}; ./setup --ci installs what they need")
    sys.exit(1 if write or os.environ.get("SINTER_CI") else 77)

rows = [row(pathlib.Path(folder), test) for test in tests]
text = pathlib.Path(document).read_text()
begin = text.index(HEADER) + len(HEADER)
end = text.index("\n\n", begin - 1) + 1
if write:
    pathlib.Path(document).write_text(text[:begin] + "".join(rows) + text[end:])
    sys.exit()
there = [DATE.sub("", line) for line in text[begin:end].splitlines(keepends=True)]
for test, made in zip(tests, rows):
    if DATE.sub("", made) not in there:
        sys.exit(f"{document}: the table of platforms is not what the tests say; expected this row of {test}:\n{made}".rstrip())
if len(there) != len(rows):
    sys.exit(f"{document}: the table of platforms has {len(there)} rows; expected {len(rows)}, one for each test")
