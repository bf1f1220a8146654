"""What must hold of the action, tried as a runner would run it. Usage: cases.py KUBETAINT FOLDER [CASE...]"""

import json
import os
import re
import shutil
import subprocess
import sys
import traceback
from pathlib import Path

from job import (
    CASES, DANGEROUS, HOSTILE, KUBETAINT, REFUSED, TOP, TWICE, VERSION, WORK, Job, annotations, case, counted, pod, refused,
)  # fmt: skip

# Its cases are among CASES.
import changes  # noqa: F401


@case
def nothing_is_found():
    job = Job("clean", {"web.yaml": pod()})
    result = job.run()
    assert result.code == 0
    assert result.outputs["exit-code"] == "0"
    assert counted(result) == ("0", "0", "0", "0"), result.outputs
    assert result.commands == []
    assert result.summary.startswith("## kubetaint\n"), result.summary
    assert "1 file, 1 document, 1 workload, 0 node pools read; no findings" in result.summary
    assert json.loads(Path(result.outputs["sarif-file"]).read_text())["runs"][0]["results"] == []
    assert result.used == []


@case
def findings_are_shown_counted_and_fail_the_step():
    files = {"web.yaml": pod(REFUSED), "agent.yaml": pod(DANGEROUS, name="agent"), "twice.yaml": pod(TWICE, name="twice")}
    job = Job("findings", {f"apps/{name}": text for name, text in files.items()})
    result = job.run()
    assert result.code == 1
    assert result.outputs["exit-code"] == "1"
    assert counted(result) == ("1", "1", "1", "3"), result.outputs
    assert [(word, title, file) for word, title, file, _ in annotations(result)] == [
        ("error", "value-with-exists", "apps/web.yaml"),
        ("warning", "blanket-exists", "apps/agent.yaml"),
        ("notice", "duplicate-toleration", "apps/twice.yaml"),
    ]
    assert result.commands[0][1]["line"] == "6"
    plain = re.sub("\x1b\\[[0-9;]*m", "", result.log)
    assert "error[value-with-exists]: " in plain and "╭─[apps/web.yaml:6:" in plain, result.log
    assert plain != result.log, "the log has colours"
    assert "| **error**<br><a href=\"https://github.com/" in result.summary
    assert "<code>value-with-exists</code></a> | <code>apps/web.yaml:6:" in result.summary
    report = json.loads(Path(result.outputs["sarif-file"]).read_text())
    assert len(report["runs"][0]["results"]) == 3
    assert result.used == []


@case
def fail_on_and_min_severity_are_handed_on():
    job = Job("severities", {"web.yaml": pod(DANGEROUS)})
    result = job.run({"fail-on": "never"})
    assert (result.code, result.outputs["exit-code"]) == (0, "0")
    assert counted(result) == ("0", "1", "0", "1")
    assert job.run({"fail-on": "error"}).code == 0
    result = job.run({"min-severity": "error"})
    assert annotations(result) == [] and "blanket-exists" not in result.log + result.summary
    refused(job.run({"fail-on": "sometimes"}), "sometimes")


@case
def annotations_and_summary_can_be_left_out():
    job = Job("quiet", {"web.yaml": pod(REFUSED)})
    result = job.run({"annotations": "false"})
    assert result.commands == [] and "value-with-exists" in result.summary
    result = job.run({"summary": "False"})
    assert result.summary == "" and len(annotations(result)) == 1
    assert "value-with-exists" in result.log


@case
def what_is_accepted_opens_no_alert():
    accepted = REFUSED + "  # kubetaint: ignore[value-with-exists] meant"
    job = Job("accepted", {"web.yaml": pod(accepted)})
    result = job.run()
    assert result.code == 0, result.log
    assert json.loads(Path(result.outputs["sarif-file"]).read_text())["runs"][0]["results"] == []


@case
def sarif_is_sent_where_it_is_asked_for_and_whole():
    job = Job("sarif", {"web.yaml": pod(REFUSED)})
    result = job.run({"sarif": "TRUE", "sarif-category": "shop"})
    assert result.code == 1
    [(name, given)] = result.used
    assert re.fullmatch(r"github/codeql-action/upload-sarif@[0-9a-f]{40}", name), name
    assert given == {"sarif_file": result.outputs["sarif-file"], "category": "shop"}
    assert job.run({"sarif": "true", "paths": "web.yaml\nnowhere"}).used == []


@case
def paths_and_arguments_stand_one_on_a_line():
    files = {
        "apps one/web.yaml": pod(REFUSED),
        "other.yaml": pod(DANGEROUS),
        "left out.yaml": pod(DANGEROUS),
        "my config.yaml": "rules: {blanket-exists: off}\n",
    }
    job = Job("lines", files)
    assert counted(job.run({"paths": "  apps one\r\n\n  other.yaml\n"})) == ("1", "1", "0", "2")
    assert counted(job.run({"config": "my config.yaml"})) == ("1", "0", "0", "1")
    result = job.run({"args": "--format=concise=a report.txt\n--ignore\nblanket-exists\n", "working-directory": "apps one"})
    assert result.code == 1
    assert "value-with-exists" in (job.workspace / "apps one/a report.txt").read_text()
    # The places of annotations are the repository's, wherever the step works.
    assert [file for _, _, file, _ in annotations(result)] == ["apps one/web.yaml"]
    result = job.run({"args": "--statistics"})
    assert result.code == 1 and counted(result) == ("1", "2", "0", "3")
    result = job.run({"args": "--show-files"})
    assert result.code == 0 and counted(result) == ("", "", "", "") and result.outputs["sarif-file"] == ""


@case
def what_files_say_is_kept_in_a_folder():
    job = Job("cache", {"apps/web.yaml": pod(REFUSED)})
    bare = job.run()
    for known in ("0 of 1", "1 of 1"):
        result = job.run({"cache": "a cache", "args": "-v", "working-directory": "apps"})
        assert f"{known} files were known" in result.log, result.log
        assert (result.code, counted(result), annotations(result)) == (bare.code, counted(bare), annotations(bare))
    assert (job.workspace / "apps/a cache/CACHEDIR.TAG").exists()


@case
def a_job_that_cannot_be_done_says_so():
    job = Job("problems", {"web.yaml": pod()})
    refused(job.run({"args": "--no-such-flag"}), "--no-such-flag")
    refused(job.run({"args": "--format=json=nowhere/report"}), "nowhere/report")
    refused(job.run({"config": "nowhere.yaml", "annotations": "false"}), "nowhere.yaml")
    refused(job.run({"annotations": "perhaps"}), "annotations: `perhaps` is neither true nor false")
    refused(job.run({"working-directory": "nowhere"}), "working-directory: `nowhere` is no folder")
    refused(job.run({"paths": " \n"}), "paths: there is none")
    refused(job.run({"paths": "web.yaml\n-"}), "paths: `-` is standard input")
    (job.workspace / ".kubetaint.yaml").write_text("clusters: {prod: {complete: maybe}}\n")
    refused(job.run(), ".kubetaint.yaml:1:")


@case
def a_file_that_cannot_be_read_has_its_place():
    job = Job("unreadable", {"web.yaml": pod(REFUSED)})
    result = job.run({"paths": "web.yaml\nnowhere"})
    assert (result.code, result.outputs["exit-code"]) == (2, "2")
    assert counted(result) == ("1", "0", "0", "1")
    assert [(title, file) for _, title, file, _ in annotations(result)] == [
        ("kubetaint", "nowhere"),
        ("value-with-exists", "web.yaml"),
    ]
    assert result.summary.count("path does not exist") == 1
    result = job.run({"paths": "web.yaml\nnowhere", "annotations": "false"})
    [(word, title, file, text)] = annotations(result)
    assert (word, title, file) == ("error", "kubetaint", None) and "nowhere: path does not exist" in text


@case
def what_ends_in_no_exit_code_of_kubetaint_is_a_problem():
    job = Job("crash", {"web.yaml": pod()}, releases=[])
    job.list(job.release(VERSION, "#!/bin/sh\necho 'thread panicked' >&2\nexit 101\n"))
    refused(job.run(), "kubetaint ended with 101", "thread panicked")
    result = job.run(GITHUB_OUTPUT=str(job.folder / "nowhere/output"))
    assert result.code == 2 and annotations(result)[-1][1] == "kubetaint"


@case
def hostile_inputs_change_nothing():
    job = Job("inputs", {"web.yaml": pod()})
    # Those that are handled alike share the texts.
    alike = [["paths"], ["args"], ["version"], ["working-directory"], ["config", "fail-on", "min-severity"]]
    alike.append(["annotations", "summary", "sarif", "build-from-source"])
    for names in alike:
        for number, text in enumerate(HOSTILE):
            name, text = names[number % len(names)], text.format(job.trap)
            if (name, text) in (("args", "--version"), ("args", "-")):
                continue  # which are arguments
            result = job.run({name: text})
            assert result.code == 2, (name, text, result.log)
            assert result.outputs["exit-code"] == "2", result.outputs
            assert "forged" not in result.outputs["findings"], result.outputs
            for word, title, _, _ in annotations(result):
                assert (word, title) == ("error", "kubetaint"), (name, text)
            assert "\n<" not in result.summary and "\n[" not in result.summary, result.summary
    assert sorted(path.name for path in job.workspace.iterdir()) == [".git", "web.yaml"]


@case
def hostile_manifests_change_nothing():
    job = Job("manifests", {})
    for number, text in enumerate(HOSTILE):
        text = text.format(job.trap)
        name = text.replace("/", "∕").replace("\0", "")
        value = json.dumps(text)
        lines = [f"  nodeSelector: {{{value}: {value}}}", f"  tolerations: [{{key: {value}, operator: Exist, value: {value}}}]"]
        (job.workspace / f"{number} {name}.yaml").write_text(pod(*lines, name=value))
    job.workspace.joinpath("::error::forged.yaml").write_text(pod(REFUSED))
    result = job.run()
    assert result.code == 1
    assert int(result.outputs["errors"]) > len(HOSTILE), result.outputs
    rules = set(os.listdir(TOP / "rules"))
    for _, title, file, _ in annotations(result):
        assert f"{title}.yaml" in rules, f"forged: {title}"
        assert file, title
    assert re.search(r"^\| \*\*error\*\*", result.summary, re.MULTILINE)
    assert "<script" not in result.summary and "](https" not in result.summary
    json.loads(Path(result.outputs["sarif-file"]).read_text())


@case
def lines_of_a_patch_are_no_commands():
    lines = ["  tolerations:", "  - key: a", "    operator: Exists", "    value: b", "  nodeSelector:", "    ::add-mask::x: z"]
    job = Job("patch", {"web.yaml": pod(*lines), "other.yaml": pod(*lines[:4], "  # ##[error]forged")})
    result = job.run({"args": "--diff"})
    assert result.commands == [], result.commands
    assert "\n     : :add-mask::x: z" in result.log and "# # #[error]forged" in result.log, result.log


@case
def only_known_releases_are_run():
    job = Job("releases", {"web.yaml": pod()}, releases=[])
    trap = job.release("8.8.8", f"#!/bin/sh\ntouch '{job.trap}'\n")
    own = job.release(VERSION, f'#!/bin/sh\nexec "{KUBETAINT}" "$@"\n')
    refused(job.run({"version": VERSION}), f"`{VERSION}` is no release", "there is none yet")
    job.list("7.7.7 riscv64gc-unknown-linux-gnu " + "0" * 64, own.replace(own.split()[2], trap.split()[2]))
    refused(job.run({"version": "8.8.8"}), "`8.8.8` is no release", f"({VERSION}, 7.7.7)")
    refused(job.run({"version": "7"}), "`7` is no release")
    refused(job.run({"version": "7.7.7"}), "7.7.7 was not released for Linux on X64")
    # The archive is not the one that the table means.
    refused(job.run(), "is not what was released", own.split()[2], trap.split()[2])
    job.list(trap.replace(trap.split()[2], own.split()[2]))
    refused(job.run({"version": "8.8.8"}), "is not what was released")
    assert not list(job.folder.rglob("runner temp/*/*.tar.gz")), "it is not kept"
    job.list("9.9.9 " + " ".join(own.split()[1:]))
    refused(job.run({"version": "9.9.9"}), "/v9.9.9/", "could not be downloaded")
    job.list(job.release(VERSION, "", name="other"))
    refused(job.run(), "holds no program")


@case
def the_release_that_is_asked_for_is_run():
    job = Job("asked", {"web.yaml": pod()}, releases=[])
    said = f'#!/bin/sh\necho "this is another one" >&2\nexec "{KUBETAINT}" "$@"\n'
    rows = [job.release("0.0.7", said), job.release(VERSION, f'#!/bin/sh\nexec "{KUBETAINT}" "$@"\n')]
    job.list(*[f"{row}\r" for row in rows])
    for version, other in (("", False), (VERSION, False), ("0.0.7", True), ("v0.0.7", True)):
        result = job.run({"version": version})
        assert result.code == 0, result.log
        assert ("this is another one" in result.log) == other, version
    # A checkout of the action's own repository.
    shutil.move(job.server / "example/kubetaint", job.server / "example/shop")
    assert job.run(repository="").code == 0


@case
def without_a_release_it_is_built():
    job = Job("built", {"web.yaml": pod(REFUSED)}, releases=[])
    refused(job.run(), "no Rust (cargo)")
    refused(job.run({"version": "0.0.7", "build-from-source": "true"}), f"`0.0.7` cannot be built from this commit", VERSION)
    shutil.rmtree(job.action)
    copied = ["git", "-C", str(TOP), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for path in subprocess.run(copied, capture_output=True, check=True, text=True).stdout.split("\0"):
        if path and (TOP / path).is_file():
            (job.action / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / path, job.action / path)
    job.list()
    # Files that cargo and rustup would obey if they were run in the repository.
    evil = job.workspace / "evil"
    for path in ("bin/cargo", "bin/rustc", "wrapper"):
        (evil / path).parent.mkdir(parents=True, exist_ok=True)
        (evil / path).write_text(f"#!/bin/sh\ntouch '{job.trap}'\nexit 1\n")
        (evil / path).chmod(0o755)
    (job.workspace / "rust-toolchain.toml").write_text(f'[toolchain]\npath = "{evil}"\n')
    (job.workspace / ".cargo").mkdir()
    (job.workspace / ".cargo/config.toml").write_text(f'[build]\nrustc-wrapper = "{evil}/wrapper"\n')
    rust = {name: os.environ[name] for name in ("PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME") if name in os.environ}
    # Without the optimizer, when .ci/run asks for that.
    quick = {name: value for name, value in os.environ.items() if name.startswith("CARGO_PROFILE_RELEASE_")}
    target = {"CARGO_TARGET_DIR": os.environ.get("CARGO_TARGET_DIR", str(WORK / "target"))}
    result = job.run({"build-from-source": "true", "version": VERSION}, **rust, **quick, **target)
    assert result.code == 1, result.log
    assert counted(result) == ("1", "0", "0", "1")
    assert result.commands[0] == ("group", {}, "Building kubetaint") and result.commands[1][0] == "endgroup"
    # What does not compile is no finding.
    (job.action / "src/main.rs").write_text("fn main() { no such thing }\n")
    refused(job.run(**rust, **quick, **target), "could not be built")


def main():
    """Runs the cases; says which do not hold."""
    wrong = 0
    for one in CASES:
        name = one.__name__.replace("_", " ")
        if sys.argv[3:] and one.__name__ not in sys.argv[3:]:
            continue
        try:
            one()
            print(f"ok: {name}", flush=True)
        except Exception:  # a case of any kind
            wrong += 1
            print(f"WRONG: {name}\n{traceback.format_exc()}", flush=True)
    return 1 if wrong else 0


sys.exit(main())
