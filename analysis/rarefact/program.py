"""The program rarefact: finding it, asking it for JSON, and running it while it reports its progress."""

from __future__ import annotations

import functools
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from . import progress
from .errors import Error, PathLike, Problem, in_python, word

default: str | None = None  # the program that has called us
STOPPED = (75, -signal.SIGTERM, -signal.SIGINT)  # its exit code, and signals that arrive before it can handle them


HERE = pathlib.Path(__file__).resolve()  # SITE/rarefact/, PROJECT/analysis/rarefact/, PREFIX/share/rarefact/analysis/rarefact/
BY_PIP = HERE.parent / "installed" / "bin" / "rarefact"
BESIDE = [folder / name for folder, name in zip(HERE.parents[2:5:2], ("build/release/rarefact", "bin/rarefact"))]


def first(*places: PathLike | None) -> str:
    """The first program among these paths."""
    for path in places:
        if path and os.access(path, os.X_OK):
            return os.path.abspath(path)
    raise Error("the program rarefact is not on PATH and not built; build it with scripts/quickstart, or name it: program=PATH", code=3)


def find(program: PathLike | None = None) -> str:
    """The path of the program: the given one, else the one that called us, the one that pip installed with this package, the one on
    PATH, or the one built or installed with this package."""
    if (named := program or default) is None:
        return first(BY_PIP, shutil.which("rarefact"), *BESIDE)
    if (path := shutil.which(word(named))) is None:
        raise Error(f"{named}: no such program", code=3)
    return os.path.abspath(path)


def _start(words: Sequence[Any], folder: str | None, text: str | None, program: PathLike | None,
           out: int = subprocess.PIPE) -> subprocess.Popen[str]:
    command = [find(program), *map(word, words)]
    # Linux ends the program when the thread that started it ends, that is, when Python ends, for whatever
    # reason.
    tied = [guard, "--pdeathsig", "TERM", "--"] if (guard := shutil.which("setpriv")) else []
    try:
        return subprocess.Popen([*tied, *command], cwd=folder, stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
                                stdout=out, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    except OSError as error:
        raise Error(f"{command[0]}: {error.strerror}", code=3) from None


def failure(code: int, told: dict[str, Any] | None, said: list[str]) -> Error:
    """The Error of a program that ended with this code, from its last event "error" (or None) and its other output."""
    if told:
        rows: list[dict[str, Any]] = [{name: row.get(name) or None for name in Problem.__dataclass_fields__}
                                      for row in told.get("problems") or ()]
        for row in rows:
            row["message"], row["file"] = in_python(row["message"]), row["file"] and in_python(row["file"])
            if row["file"] == "standard input":
                row["file"] = "rarefact.toml(experiment)"
        problems = [Problem(**row) for row in rows]
        return Error("\n".join(map(str, problems)) or told["message"], problems, told.get("code", code))
    if code in STOPPED:
        return Error((said[-1] if said else "stopped").replace("the same command", "the same call"), code=STOPPED[0])
    if code < 0:
        return Error(f"rarefact was ended by {signal.Signals(-code).name}; the same call continues from what is stored", code=code)
    message = "\n".join(line.removeprefix("error: ") for line in said) or f"the program ended with exit code {code} and no answer; is it rarefact?"
    return Error(message, code=code or 2)


def _event(line: str) -> dict[str, Any] | None:
    """The event in a line of stderr, or None."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None


def text_of(words: Sequence[Any], *, folder: str | None = None, text: str | None = None, program: PathLike | None = None,
            fine: tuple[int, ...] = (0,)) -> str:
    """The output of the program. Raises Error unless its exit code is one of the accepted ones."""
    process = _start(words, folder, text, program)
    try:
        out, err = process.communicate(text)
    except BaseException:
        process.kill()
        process.wait()
        raise
    lines = [line for line in err.splitlines() if line]
    if process.returncode not in fine:
        told = [event for event in map(_event, lines) if event and event["event"] == "error"]
        raise failure(process.returncode, told[-1] if told else None, lines)
    return out


def ask(command: str, *words: Any, **how: Any) -> Any:
    """The JSON value printed by the program."""
    try:
        return json.loads(text_of([command, "--json", *words], **how))
    except ValueError:
        raise failure(0, None, []) from None


class Job:
    """A running program that reports its progress; a thread reads the events, so that the program never waits.

    `told` has the last event of each kind, `code` the exit code, or None while it runs."""

    def __init__(self, words: Sequence[Any], *, folder: str | None = None, text: str | None = None, program: PathLike | None = None) -> None:
        self.told: dict[str, dict[str, Any]] = {}
        self.code: int | None = None
        self.said: list[str] = []
        self.warnings: list[str] = []
        self.steps: dict[str, int] = {}
        self.stopped = False
        self.changes, self.changed = 0, threading.Condition()
        begun: queue.SimpleQueue[Exception | None] = queue.SimpleQueue()
        self.listener = threading.Thread(target=self._listen, daemon=True, args=(begun, functools.partial(
            _start, [*words, "--progress", "json"], folder, text, program, subprocess.DEVNULL)))
        self.listener.start()
        if error := begun.get():
            raise error
        if text is not None and self.process.stdin:
            try:
                with self.process.stdin as pipe:
                    pipe.write(text)
            except BrokenPipeError:
                pass  # the reason has been printed

    def _listen(self, begun: queue.SimpleQueue[Exception | None], start: Callable[[], subprocess.Popen[str]]) -> None:
        try:
            self.process = start()
            begun.put(None)
        except Exception as error:
            begun.put(error)
            return
        assert self.process.stderr
        with self.process.stderr as lines:
            for line in lines:
                event = _event(line) or {"event": "other", "message": line.rstrip("\n")}
                if "optimizer" in event:
                    # Optimizers run in parallel, and an event is about one of them.
                    self.steps[event["optimizer"]] = event["step"]
                    engines = self.told.get("plan", {}).get("engines", [])
                    event["all"] = {row["optimizer"]: 0 for row in engines} | self.steps
                with self.changed:
                    self.told[event["event"]] = event
                    if event["event"] == "warning":
                        self.warnings.append(in_python(event["message"]))
                    elif event["event"] in ("note", "other"):
                        self.said = [*self.said[-20:], event["message"]]
                    self._change()
        code = self.process.wait()
        with self.changed:
            self.code = code
            self._change()

    def _change(self) -> None:
        self.changes += 1
        self.changed.notify_all()

    @property
    def output(self) -> str:
        """The result file, relative to the folder of the program; empty before it is known."""
        return next((self.told[kind]["output"] for kind in ("end", "plan") if kind in self.told), "")

    def wait_for_plan(self) -> None:
        """Waits until the program has reported its plan or has ended; an interrupt (Ctrl-C) stops it."""
        try:
            with self.changed:
                self.changed.wait_for(lambda: "plan" in self.told or self.code is not None)
        except KeyboardInterrupt:
            self.stop()
            raise
        if "plan" not in self.told:
            self.require_done()

    def follow(self, shown: bool | Callable[[dict[str, Any]], object] = True) -> Iterator[None]:
        """Yields after every change and when the program has ended, and shows the progress (progress.bar). An interrupt (Ctrl-C)
        stops the program."""
        bar, seen, ended = progress.bar(shown), 0, False
        try:
            while not ended:
                with self.changed:
                    self.changed.wait_for(lambda: self.changes != seen)
                    seen, ended, now = self.changes, self.code is not None, self.told.get("progress")
                    told, self.warnings = self.warnings, []
                for message in told:
                    warnings.warn(message, stacklevel=3)
                if now and not ended:
                    bar.show(now)
                yield
        except KeyboardInterrupt:
            self.stop()
            raise KeyboardInterrupt("stopped: the same call continues from what is stored") from None
        finally:
            bar.close("stopped" if self.code != 0 else f"result: {self.output}" if "end" in self.told else "this part is done")

    def require_done(self, strict: bool = False, part: bool = False) -> None:
        """Raises Error unless the program has written the result or, if it computes a part of a sweep, ended well. A run without
        numbers is an Error only under `strict`."""
        if part and self.code == 0:
            return
        if "end" not in self.told:
            raise failure(self.code or 0, self.told.get("error"), self.said)
        if self.code != 0:
            message = f"{self.output} is written, but a run failed or is not complete: see Result.incomplete"
            if strict:
                raise Error(message, code=self.code)
            warnings.warn(message, stacklevel=3)

    def stop(self) -> None:
        """Asks the program to end, so that finished work is stored, and waits for it; a second interrupt ends it at once."""
        self.stopped = True
        # Not SIGINT: the terminal may have sent one to both processes, and a second one ends the program at
        # once.
        self.process.terminate()
        try:
            self.listener.join()
        except KeyboardInterrupt:
            self.process.kill()
            raise
