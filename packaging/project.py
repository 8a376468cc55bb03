# SPDX-License-Identifier: MIT
"""What packages say of the project, from where it is written."""
import pathlib
import re


def facts(root):
    """The version and the homepage of the copy of the repository at `root`."""
    root = pathlib.Path(root)
    header = (root / "include/sinter/version.hpp").read_text()
    citation = (root / "CITATION.cff").read_text()
    return {"version": ".".join(re.findall(r"#define SINTER_VERSION_\w+ (\d+)", header)),
            "homepage": re.search(r"^url: (\S+)$", citation, re.MULTILINE)[1]}


def filled(text, values):
    """The text with each @name@ replaced by the value of that name; a name without a value is a KeyError."""
    return re.sub(r"@(\w+)@", lambda found: values[found[1]], text)
