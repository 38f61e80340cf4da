"""Reads scripts/Dockerfile and does its steps in chroots, for machines without Docker."""

import json
import re
import shlex
import shutil
from pathlib import Path

from project import ROOT, project_files

FILE = ROOT / "scripts" / "Dockerfile"
IMAGE = re.compile(r"debian:(\w+)-slim(?: AS (\w+))?")


def steps():
    """(instruction, rest of its line) in their order; lines that go on are joined, comments left out."""
    text = re.sub(r"^#.*\n", "", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [tuple(line.split(None, 1)) for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def suite():
    """The release of Debian that all its stages begin with."""
    (name,) = {IMAGE.fullmatch(rest)[1] for word, rest in steps() if word == "FROM"}
    return name


class Image:
    """What one FROM begins: a Debian in a folder, and what holds for its next command."""

    def __init__(self, root):
        self.root = root
        self.folder, self.user, self.environment, self.entry = "/", None, {}, []

    def run(self, *words, user=None):
        return self.root.run(*words, folder=self.folder, user=user or self.user, environment=self.environment)

    def inside(self, path):
        """A path of the image, seen from here."""
        return self.root.folder / (Path(self.folder) / path).relative_to("/")


def copy(image, stages, rest):
    """COPY [--from=STAGE] SOURCE... TARGET; without a stage, files of the project that git has or would add."""
    words = shlex.split(rest)
    stage = stages[words.pop(0).removeprefix("--from=")] if words[0].startswith("--from=") else None
    target = image.inside(words.pop())
    for source in words:
        if stage:
            shutil.copytree(stage.inside(source), target, dirs_exist_ok=True)
        elif source == ".":
            for path in project_files():
                (target / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / path, target / path)
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / source, target)


def built(base, folder, cache):
    """The last image; base is a DebianRoot, whose copies are changed below folder. cache: whether root's compiler cache is shared."""
    stages, image = {}, None
    for word, rest in steps():
        if word == "FROM":
            image = Image(base.copy(folder / f"stage{len(stages)}"))
            if cache:
                image.root.bind_compiler_cache()
            stages[IMAGE.fullmatch(rest)[2] or "last"] = image
        elif word == "RUN":
            done = image.run("/bin/sh", "-c", rest)
            if done.returncode != 0:
                raise AssertionError(f"RUN {rest}\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
        elif word == "COPY":
            copy(image, stages, rest)
        elif word == "ENV":
            image.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        elif word == "USER":
            image.user = rest
        elif word == "WORKDIR":
            image.folder = rest
            image.inside(".").mkdir(parents=True, exist_ok=True)
        elif word == "ENTRYPOINT":
            image.entry = json.loads(rest)
        else:
            raise AssertionError(f"{FILE.name}: {word} is not known here")
    return image
