"""The template package of docs/template as an installed package, without an installer: its files, and its metadata."""

import shutil
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "docs" / "template"
PACKAGE = "fairviz-template 1.0"


def install(folder: Path, also: str = "") -> Path:
    """Lay the package into a folder for PYTHONPATH, and return the folder. also: more lines of entry points."""
    shutil.copytree(TEMPLATE / "fairviz_template", folder / "fairviz_template", ignore=shutil.ignore_patterns("__py*"))
    write_metadata(TEMPLATE / "pyproject.toml", folder, also)
    return folder


def write_metadata(pyproject: Path, folder: Path, also: str = "") -> None:
    """Write the entry points of a project, and more lines of such, as an installer does."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    lines = [
        f"[{group}]\n{name} = {place}"
        for group, names in project.get("entry-points", {}).items()
        for name, place in names.items()
    ]
    metadata = folder / f"{project['name'].replace('-', '_')}-{project.get('version', 0)}.dist-info"
    metadata.mkdir()
    (metadata / "entry_points.txt").write_text("\n".join([*lines, also]), encoding="utf-8")
    (metadata / "METADATA").write_text(
        f"Metadata-Version: 2.4\nName: {project['name']}\nVersion: {project.get('version', 0)}\n", encoding="utf-8"
    )
