"""plugins.py — a user's own peers: a file of `name = command`, see bench/plugins.example"""

import re
import shlex
import shutil
from pathlib import Path

from peers import Runtime


def read_plugins(path: Path, taken: list[str]) -> list[Runtime]:
    """ValueError says what is wrong, and in which line; a command that is not there is left out."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the plug-ins in '{path}': {error}") from None
    runtimes: list[Runtime] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        where = f"{path}:{number}"
        name, equals, command = (part.strip() for part in line.partition("="))
        if not equals or not re.fullmatch(r"[A-Za-z][\w.-]*", name) or not command:
            raise ValueError(f"{where}: expected `name = command`, found '{line.strip()}'")
        if name in taken or name in [runtime.name for runtime in runtimes]:
            raise ValueError(f"{where}: the name '{name}' is taken; choose another")
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"{where}: {error}: {command}") from None
        for needed in ("{problem}", "{workers}"):
            if not any(needed in word for word in words):
                raise ValueError(f"{where}: the command has no {needed}: {command}")
        runtime = Runtime(name, name, words, words)
        if not shutil.which(words[0]):
            runtime = Runtime(name, name, left_out=[f"there is no program '{words[0]}' ({where})"])
        runtimes.append(runtime)
    return runtimes
