"""A repository, the action beside it, and what a run of the action leaves; for the cases of `cases.py` and `changes.py`."""

import hashlib
import json
import os
import re
import shutil
import sys
import tarfile
from io import BytesIO
from pathlib import Path

import runner

TOP = Path(__file__).resolve().parents[2]
KUBETAINT, WORK = sys.argv[1], Path(sys.argv[2]).resolve()
VERSION = re.search(r'^version = "(.*)"$', (TOP / "Cargo.toml").read_text(), re.MULTILINE).group(1)
TARGET = "x86_64-unknown-linux-musl"
# All that a runner must have besides git; Rust for a build.
NEEDED = "bash cat cut curl dirname gzip grep mkdir mktemp rm sed sha256sum sort tar tr".split()
# Text that would do something if it were read as what it is not. `{}` becomes the file that must not appear.
HOSTILE = [
    "$(touch {})",
    "`touch {}`",
    '"; touch {}; "',
    "'; touch {}; '",
    "| touch {}",
    "${{{{ github.token }}}}",
    "x\n::error::forged",
    "x\r::add-mask::forged",
    "::stop-commands::forged",
    "a ##[error]forged",
    "x\nexit-code=0\nfindings<<end",
    "%0A::error::forged%25",
    "--version",
    "-",
    "</code><script>alert(1)</script>[link](https://example.com)",
    "../" * 20 + "nowhere",
]
CASES = []
PATH = runner.tools(WORK / "tools", NEEDED)


def case(function):
    """A case."""
    CASES.append(function)
    return function


def pod(*lines, name="web"):
    """A Pod, with lines of its spec."""
    head = ["apiVersion: v1", "kind: Pod", f"metadata: {{name: {name}}}", "spec:", "  containers: [{name: a, image: b}]"]
    return "\n".join([*head, *lines, ""])


REFUSED = "  tolerations: [{key: a, operator: Exists, value: b}]"
TWICE = "  tolerations: [{key: a, operator: Exists}, {key: a, operator: Exists}]"
DANGEROUS = "  tolerations: [{operator: Exists}]"


class Job:
    """A repository to check, and the action to check it with; the names of their folders have spaces."""

    def __init__(self, name, files, releases=None):
        self.folder = WORK / name
        self.workspace = self.folder / "a workspace"
        self.trap = self.folder / "sprung"
        (self.workspace / ".git").mkdir(parents=True)
        for path, text in files.items():
            file = self.workspace / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        self.action = self.folder / "the action"
        (self.action / "action").mkdir(parents=True)
        for path in ("action.yml", "Cargo.toml", "action/run", "action/base", "action/program"):
            shutil.copy(TOP / path, self.action / path)
        # One release, of the version that stands here, unless the case says otherwise.
        self.server = self.folder / "server"
        row = self.release(VERSION, f'#!/bin/sh\nexec "{KUBETAINT}" "$@"\n')
        self.list(*([row] if releases is None else releases))
        self.runner = runner.Runner(self.action, self.workspace, self.folder, {
            "PATH": PATH,
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
            "GITHUB_SERVER_URL": self.server.as_uri(),
            "GITHUB_REPOSITORY": "example/shop",
            # What a pull request names itself.
            "GITHUB_HEAD_REF": f"$(touch {self.trap})`touch {self.trap}`",
            "GITHUB_REF_NAME": "\n::error::forged",
        })  # fmt: skip

    def release(self, version, program, name="kubetaint"):
        """Puts a release where it would be downloaded from; its row of the table."""
        archive = self.server / f"example/kubetaint/releases/download/v{version}/kubetaint-{version}-{TARGET}.tar.gz"
        archive.parent.mkdir(parents=True, exist_ok=True)
        with tarfile.open(archive, "w:gz") as file:
            one = tarfile.TarInfo(f"kubetaint-{version}-{TARGET}/{name}")
            one.size, one.mode = len(program.encode()), 0o755
            file.addfile(one, BytesIO(program.encode()))
        return f"{version} {TARGET} {hashlib.sha256(archive.read_bytes()).hexdigest()}"

    def list(self, *rows):
        """Writes the table of releases."""
        (self.action / "action/releases").write_text("\n".join(["# version, target, sum", *rows, ""]))

    def run(self, inputs=None, **environment):
        """Runs the action; whatever was said, nothing of it was executed, and no command was forged."""
        result = self.runner.run(inputs, **environment)
        assert not self.trap.exists(), "text was executed"
        for word, properties, text in result.commands:
            assert word in ("error", "warning", "notice", "group", "endgroup"), (word, text)
            if word in ("error", "warning", "notice"):
                assert properties.get("title"), f"forged: {text}"
        return result


def annotations(result):
    """The annotations of a run, as (word, title, file, text)."""
    return [
        (word, properties["title"], properties.get("file"), text)
        for word, properties, text in result.commands
        if word in ("error", "warning", "notice")
    ]


def counted(result):
    """What the outputs count: errors, warnings, notes and all of them."""
    return tuple(result.outputs[name] for name in ("errors", "warnings", "notes", "findings"))


def refused(result, *texts):
    """The job could not be done, and that is said once: in an annotation, in the summary, and in nothing else."""
    assert result.code == 2, result.code
    assert result.outputs["exit-code"] == "2", result.outputs
    [(word, title, _, text)] = annotations(result)
    assert (word, title) == ("error", "kubetaint"), word
    for wanted in texts:
        assert wanted in text, f"{wanted!r} is not in {text!r}"
    assert result.summary.startswith("## kubetaint\n\n") and result.summary.count("## ") == 1, result.summary
    _, said, rest = result.summary.partition("\nThe job could not be done:\n\n")
    assert said, result.summary
    for line in rest.split("\n"):
        assert not line.strip() or line.startswith("    "), f"read as Markdown: {line!r}"
    assert not result.used, "nothing is sent"
