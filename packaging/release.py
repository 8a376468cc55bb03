#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes what a release of sinter has, from a tag of this repository: the same bytes each time.

    release.py TAG FOLDER [--url URL]      release.py v0.1.0 build/release-v0.1.0

FOLDER, which is to be made, gets the source archive, sinter.hpp and sinter_inference.hpp, the Arduino library, Meson's wrap
file, vcpkg's overlay port, Debian's source package, a bill of materials (SPDX) and the checksums of them all. URL is where
the files will be; without it, a folder of the homepage that CITATION.cff names.
"""
import argparse
import datetime
import email.utils
import gzip
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import project
import spdx

ROOT = pathlib.Path(__file__).resolve().parent.parent


def fail(message):
    sys.exit(f"release.py: {message}")


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, **options).stdout


def run_python(*command):
    run(sys.executable, "-B", *command)  # -B: nothing is written beside it


def git_archive(commit, *options):
    return run("git", "-C", ROOT, "-c", "tar.umask=0022", "archive", "--format=tar", commit, *options)


def extract(archive, folder):
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder)


def write_tar(path, folder, name, time):
    """`folder` as `name` in a .tar.gz: the same bytes for the same files."""
    def owned_by_nobody(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = time
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        archive.add(folder, name, filter=owned_by_nobody)  # in the order of names
    path.write_bytes(gzip.compress(made.getvalue(), mtime=0))


def write_zip(path, folder, name, date):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(file for file in folder.rglob("*") if file.is_file()):
            entry = zipfile.ZipInfo(f"{name}/{file.relative_to(folder).as_posix()}", date.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes())


def copy_filled(template, folder, values):
    """Copies a folder, with each @name@ in its files replaced."""
    shutil.copytree(template, folder)
    for file in (file for file in folder.rglob("*") if file.is_file()):
        file.write_text(project.filled(file.read_text(), values))


def write_debian_source(folder, work, commit, values, time):
    """Debian's source package, without what its copyright file excludes: .dsc, .orig.tar.gz and .debian.tar.xz."""
    source = git_archive(commit, f"--prefix=sinter-{values['version']}/", "--", ":(exclude)examples/data/*.tar.xz")
    (folder / f"sinter_{values['version']}+dfsg.orig.tar.gz").write_bytes(gzip.compress(source, mtime=0))
    extract(source, work / "debian")
    tree = work / f"debian/sinter-{values['version']}"
    copy_filled(tree / "packaging/debian", tree / "debian", values)
    run("dpkg-source", "--build", tree, cwd=folder, env={**os.environ, "SOURCE_DATE_EPOCH": str(time), "LC_ALL": "C"})


def make(tag, url, work):
    """Makes all files of a release in the folder that is returned."""
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--verify", "--quiet", f"refs/tags/{tag}^{{commit}}"],
                            stdout=subprocess.PIPE, text=True).stdout.strip()
    if not commit:
        fail(f"there is no tag {tag}; expected a tag of this repository, such as v0.1.0")
    time = int(run("git", "-C", ROOT, "show", "--no-patch", "--format=%ct", commit))
    date = datetime.datetime.fromtimestamp(time, datetime.timezone.utc)
    tree, made = work / "tree", work / "made"
    made.mkdir()
    extract(git_archive(commit), tree)
    facts = project.facts(tree)
    version = facts["version"]
    if tag != f"v{version}":
        fail(f"the tag is {tag}, and include/sinter/version.hpp there says {version}; expected the tag v{version}")

    source = gzip.compress(git_archive(commit, f"--prefix=sinter-{version}/"), mtime=0)
    (made / f"sinter-{version}.tar.gz").write_bytes(source)
    values = {**facts, "url": url or f"{facts['homepage']}/releases/download/{tag}", "date": email.utils.format_datetime(date),
              "sha256": hashlib.sha256(source).hexdigest(), "sha512": hashlib.sha512(source).hexdigest()}

    run_python(tree / "tools/single_header.py", made / "sinter.hpp")
    run_python(tree / "tools/single_header.py", made / "sinter_inference.hpp", "sinter/inference.hpp")
    run_python(tree / "packaging/arduino_library.py", work / "arduino")
    write_zip(made / f"sinter-{version}-arduino.zip", work / "arduino", "sinter", date)
    (made / "sinter.wrap").write_text(project.filled((tree / "packaging/sinter.wrap").read_text(), values))
    copy_filled(tree / "packaging/vcpkg", work / "vcpkg", values)
    write_tar(made / f"sinter-{version}-vcpkg.tar.gz", work / "vcpkg", "sinter", time)
    write_debian_source(made, work, commit, values, time)

    files = {file.name: file.read_bytes() for file in made.iterdir()}
    (made / f"sinter-{version}.spdx.json").write_text(
        spdx.bill_of_materials("sinter", version, facts["homepage"], date.strftime("%Y-%m-%dT%H:%M:%SZ"), files))
    (made / "SHA256SUMS").write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n"
                                             for file in sorted(made.iterdir())))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tag")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--url")
    arguments = parser.parse_args()
    if arguments.folder.exists():
        fail(f"{arguments.folder} exists already; expected a folder to be made")
    for tool in ("git", "dpkg-source"):
        if not shutil.which(tool):
            fail(f"{tool} is not installed; on Debian: apt-get install git dpkg-dev")
    try:
        with tempfile.TemporaryDirectory() as work:
            shutil.copytree(make(arguments.tag, arguments.url, pathlib.Path(work)), arguments.folder)
    except subprocess.CalledProcessError as failed:
        fail(f"this command failed: {' '.join(map(str, failed.cmd))}")


if __name__ == "__main__":
    main()
