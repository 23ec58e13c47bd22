#!/usr/bin/python3
"""A device that installs packages as archives are mostly unpacked: each attack is shown to work on it first.

`naive_installer.py PACKAGE DIRECTORY WANTED TEAM` wants `anything`, what is `signed` by whoever says so, or a signature
of TEAM's certificate (`team`); none compares what it unpacks with what was signed.
"""
import os, subprocess, sys, tarfile, tempfile

package, directory, wanted, team = sys.argv[1:]


def archive():
    """The archive as a stream, all of it as it says of itself: paths, links, owners and modes."""
    unpacked = subprocess.Popen(["zstd", "-dcq", package], stdout=subprocess.PIPE)
    archive = tarfile.open(fileobj=unpacked.stdout, mode="r|")
    archive.extraction_filter = lambda member, path: member
    return archive


def is_wanted():
    with tempfile.TemporaryDirectory() as folder:
        package = archive()
        for name in ("signature.p7s", "list"):
            member = package.next()
            if member.name != "_Package/" + name:
                return False
            with open(f"{folder}/{name}", "wb") as file:
                file.write(package.extractfile(member).read())
        trusted = ["-noverify"] if wanted == "signed" else ["-CAfile", team, "-purpose", "any"]
        return subprocess.run(
            ["openssl", "cms", "-verify", "-binary", "-inform", "DER", "-in", f"{folder}/signature.p7s",
             "-content", f"{folder}/list", "-out", os.devnull, *trusted], stderr=subprocess.DEVNULL).returncode == 0


if wanted != "anything" and not is_wanted():
    print("refused")
else:
    archive().extractall(directory)
    print("installed")
