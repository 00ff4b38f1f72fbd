#!/usr/bin/env python3
"""lint_map.py — MAP.md is fresh, every file says its role, every folder has one"""

from pathlib import PurePosixPath as Path

import house
import map as house_map


def main() -> None:
    found = house.Findings()
    names = [n for n in house.all_files() if n not in house.data_files() and n != "MAP.md"]
    for name in names:
        if house_map.role_of(name) is None:
            base, suffix = Path(name).name, Path(name).suffix
            want = {".md": "a `# heading`", ".1": "a .Nd line", ".3": "a .Nd line", ".7": "a .Nd line"}.get(
                suffix, f"`/* {base} — role */` on line 2" if suffix in house.C_SUFFIXES else f"`# {base} — role` on top")
            found.add(name, 2 if suffix in house.C_SUFFIXES else 1, f"no role line, so MAP.md cannot say what it is for; "
                      f"write {want} (or add it to ROLES in tools/map.py)")
    for folder in {str(Path(n).parent) for n in house.all_files()}:
        above = [folder, *map(str, Path(folder).parents)][:-1] or ["."]
        if not any(f in house_map.FOLDERS for f in above):
            found.add(folder, 1, "folder without a role; add a line to FOLDERS in tools/map.py")
    if "MAP.md" not in house.all_files() or house.read("MAP.md") != house_map.render():
        found.add("MAP.md", 1, "stale: files came, went or changed their role; run `make docs` (or tools/map.py)")
    found.finish(f"{len(names)} files, each with its role")


main()
