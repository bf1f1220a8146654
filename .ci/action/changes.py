"""What must hold of the action with a `base`, tried in real git repositories. `cases.py` runs these cases."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import runner
import yaml
from job import DANGEROUS, HOSTILE, NEEDED, PATH, REFUSED, TOP, WORK, Job, annotations, case, pod, refused

PATH_WITH_GIT = runner.tools(WORK / "tools with git", [*NEEDED, "git"])
# What git needs to make the same commits everywhere.
GIT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER") for what, text in
       (("NAME", "a"), ("EMAIL", "a@example.com"), ("DATE", "2026-01-02T03:04:05Z"))},
}  # fmt: skip


def git(folder, *arguments):
    """What git answers."""
    ran = subprocess.run(["git", "-C", str(folder), *arguments], env=GIT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, (arguments, ran.stderr)
    return ran.stdout.strip()


class Pull(Job):
    """A pull request in a real repository. Since it was opened, `main` went on by a commit with a finding of its own, and
    GitHub has merged both. Each state has the finding of the first commit."""

    def __init__(self, name):
        super().__init__(name, {})
        self.origin = self.folder / "origin"
        self.origin.mkdir()
        git(self.origin, "init", "-q", "-b", "main")
        for option in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            git(self.origin, "config", option, "true")
        self.opened = self.commit({"deep/old.yaml": pod(REFUSED, name="old"), ".kubetaint.yaml": "{}\n"})
        git(self.origin, "checkout", "-q", "-b", "topic")
        self.head = self.commit({"deep/new.yaml": pod(DANGEROUS, name="new")})
        git(self.origin, "checkout", "-q", "main")
        self.main = self.commit({"others.yaml": pod(DANGEROUS, name="others")})
        git(self.origin, "checkout", "-q", "--detach")
        git(self.origin, "merge", "-q", "--no-ff", "-m", "merge", "topic")
        self.merge = git(self.origin, "rev-parse", "HEAD")
        git(self.origin, "update-ref", "refs/pull/7/merge", self.merge)
        shas = {"base": {"sha": self.opened}, "head": {"sha": self.head}}
        self.event = {"action": "opened", "number": 7, "pull_request": shas}
        self.runner.environment["PATH"] = PATH_WITH_GIT

    def commit(self, files):
        """A commit with these files on what is checked out."""
        for path, text in files.items():
            (self.origin / path).parent.mkdir(exist_ok=True)
            (self.origin / path).write_text(text)
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-q", "-m", "change")
        return git(self.origin, "rev-parse", "HEAD")

    def checkout(self, commit, *options):
        """The workspace as a step with actions/checkout leaves it."""
        shutil.rmtree(self.workspace)
        self.workspace.mkdir()
        git(self.workspace, "init", "-q")
        git(self.workspace, "remote", "add", "origin", self.origin.as_uri())
        whole = () if options else ("+refs/heads/*:refs/remotes/origin/*",)
        git(self.workspace, "fetch", "-q", "--no-tags", *options, "origin", *whole, commit)
        git(self.workspace, "checkout", "-q", "--detach", commit)
        return self

    def offline(self):
        """Nothing can be fetched any more."""
        git(self.workspace, "remote", "set-url", "origin", (self.folder / "nowhere").as_uri())
        return self

    def auto(self, inputs=None, **environment):
        """Runs the action on the event of the pull request."""
        given = {"event": self.event, "GITHUB_EVENT_NAME": "pull_request", **environment}
        return self.run({"base": "auto", **(inputs or {})}, **given)


def found(result):
    """The files with findings."""
    return sorted(Path(file).name for _, title, file, _ in annotations(result) if file)


def compared(result, base, why=None):
    """The files were compared with a commit, and only what the pull request adds was reported."""
    assert (result.code, result.outputs["base"]) == (1, base), (result.code, result.outputs, result.log)
    assert found(result) == ["new.yaml"], result.log
    assert f"base: compared with {base}, {why or ''}" in result.log, result.log
    page = Path(result.outputs["diff-file"]).read_text()
    assert result.summary.startswith(f"## kubetaint\n\n{page}"), result.summary
    assert "1 new warning" in page.split("\n")[0] and "<!-- kubetaint diff -->" in page, page
    assert "<code>deep/new.yaml:6:" in result.summary and "old.yaml" not in result.summary, result.summary


@case
def a_pull_request_is_compared_with_what_it_was_merged_into():
    job = Pull("pull")
    why = "which the pull request was merged into"
    compared(job.checkout(job.merge).auto(), job.main, why)
    # The merge has its parents with it.
    compared(job.checkout(job.merge, "--depth=2").offline().auto(), job.main, why)
    compared(job.checkout(job.merge, "--depth=1").auto(), job.main, why)
    # The branch got another commit before the job began.
    renewed = {**job.event, "pull_request": {"base": {"sha": job.opened}, "head": {"sha": job.opened}}}
    ran = {"GITHUB_SHA": job.merge, "GITHUB_REF": "refs/pull/7/merge"}
    compared(job.checkout(job.merge).auto(event=renewed, **ran), job.main, why)


@case
def the_head_of_a_pull_request_is_compared_with_what_both_come_from():
    job = Pull("head")
    job.event["pull_request"]["base"]["sha"] = job.main
    compared(job.checkout(job.head).auto(), job.opened, f"the commit that {job.main} and the one checked out both come from")
    compared(job.checkout(job.head, "--depth=1").auto(), job.main, "the base itself")
    # A merge that somebody made in the branch is not GitHub's.
    git(job.origin, "checkout", "-q", "topic")
    git(job.origin, "merge", "-q", "--no-ff", "-m", "merge", "main")
    merged = job.event["pull_request"]["head"]["sha"] = git(job.origin, "rev-parse", "HEAD")
    compared(job.checkout(merged).auto(), job.main)


@case
def a_base_that_cannot_be_had_is_a_problem():
    job = Pull("missing")
    hint = "check out with `fetch-depth: 0`, or fetch it"
    refused(job.checkout(job.merge, "--depth=1").offline().auto(), f"the base of the pull request, {job.opened},", hint, "nowhere")
    git(job.workspace, "remote", "remove", "origin")
    refused(job.auto(), hint)
    refused(job.auto({"base": "main"}), "base: `main` is not in this clone", hint)
    refused(job.auto({"base": "HEAD~3"}), "there is no revision `HEAD~3`", "fetch-depth: 0")
    # Everything is there, and git is not.
    refused(job.checkout(job.merge).auto(PATH=PATH), "the runner has no git")
    shutil.rmtree(job.workspace / ".git")
    refused(job.auto(), "no commit is checked out", "not a git repository")
    git(job.workspace, "init", "-q")
    refused(job.auto(), "no commit is checked out")


@case
def a_push_is_compared_with_the_commit_before_it():
    job = Pull("push")
    push = {"before": job.opened, "after": job.head}
    for options in ((), ("--depth=1",)):
        compared(job.checkout(job.head, *options).auto(event=push, GITHUB_EVENT_NAME="push"), job.opened, "the commit before")
    # After a forced push, the commit before is no ancestor.
    result = job.checkout(job.head).auto(event={"before": job.main}, GITHUB_EVENT_NAME="push")
    compared(result, job.main)
    refused(job.offline().auto(event={"before": "a" * 40}), "the commit before the push, " + "a" * 40)


@case
def the_base_of_a_merge_queue_is_used():
    job = Pull("queue")
    event = {"merge_group": {"base_sha": job.main, "head_sha": job.merge}}
    for options in ((), ("--depth=1",)):
        compared(job.checkout(job.merge, *options).auto(event=event, GITHUB_EVENT_NAME="merge_group"), job.main)


@case
def without_a_base_everything_is_checked():
    job = Pull("nothing")
    job.checkout(job.merge)
    everything = ["new.yaml", "old.yaml", "others.yaml"]
    hostile = [{"before": text.format(job.trap)} for text in HOSTILE]
    for event in ({}, {"before": "0" * 40}, {"schedule": "5 4 * * *"}, {"pull_request": {"base": {}}}, *hostile):
        result = job.auto(event=event, GITHUB_EVENT_NAME="schedule")
        assert result.code == 1 and found(result) == everything, result.log
        assert result.log.startswith("base: auto: the event (schedule) has no commit to compare with, so everything"), result.log
        assert (result.outputs["base"], result.outputs["diff-file"]) == ("", "")
    # Nor is git needed.
    assert found(job.auto(event={}, PATH=PATH)) == everything
    assert found(job.run(event=job.event)) == everything


@case
def the_base_of_pull_request_target_is_not_compared_with_itself():
    job = Pull("target")
    target = {"GITHUB_EVENT_NAME": "pull_request_target", "GITHUB_SHA": job.main, "GITHUB_REF": "refs/heads/main"}
    refused(job.checkout(job.main).auto(**target), "nothing of the pull request; use `on: pull_request`")
    compared(job.checkout(job.head).auto(**target), job.opened)


@case
def a_base_can_be_any_revision():
    job = Pull("revision")
    git(job.origin, "tag", "v1", job.main)
    for base in ("HEAD^1", "origin/main", "main", "v1", job.main, job.main[:10]):
        compared(job.checkout(job.merge).run({"base": base}), job.main, "" if base == job.main else base)
    for base in ("main", "origin/main", "v1", job.main):
        compared(job.checkout(job.merge, "--depth=1").run({"base": base}), job.main)
    compared(job.checkout(job.head).run({"base": "origin/main..."}), job.opened)
    compared(job.checkout(job.head, "--depth=1").run({"base": "main..."}), job.main, "the base itself")
    for text in [*HOSTILE, "-n", "+main", "main:refs/heads/main", "--upload-pack=touch {}", "nowhere", "HEAD^9", "..."]:
        result = job.checkout(job.merge, "--depth=1").run({"base": text.format(job.trap)})
        assert result.code == 2, (text, result.log)
        refused(result, "base: ")
        assert git(job.workspace, "branch", "--list", "main") == ""


@case
def folders_paths_and_arguments_hold_for_both_sides():
    job = Pull("folders")
    job.checkout(job.merge)
    compared(job.auto({"working-directory": "deep"}), job.main)
    compared(job.auto({"paths": "deep\n"}), job.main)
    assert found(job.auto({"paths": "others.yaml"})) == []
    (job.workspace / "off.yaml").write_text("rules: {blanket-exists: off}\n")
    for inputs in ({"config": "off.yaml"}, {"args": "--config=off.yaml"}, {"args": "--config\noff.yaml\n--statistics"}):
        result = job.auto(inputs)
        assert result.code == 0 and found(result) == [], result.log
        assert "blanket-exists" not in result.summary, result.summary
    refused(job.auto({"args": "--write-baseline=known.yaml"}), "--base", "--write-baseline")
    assert not (job.workspace / "known.yaml").exists()


@case
def code_scanning_gets_everything():
    job = Pull("scanning")
    result = job.checkout(job.merge).auto({"sarif": "true", "args": "--format=sarif=own.sarif\n--format\nconcise=own.txt"})
    compared(result, job.main)
    files = lambda path: len(json.loads(Path(path).read_text())["runs"][0]["results"])  # noqa: E731
    assert files(result.outputs["sarif-file"]) == 3 and len(result.used) == 1
    assert files(job.workspace / "own.sarif") == 1
    assert "old.yaml" not in (job.workspace / "own.txt").read_text()


@case
def a_clone_without_old_contents_gets_those_that_it_needs():
    job = Pull("partial")
    git(job.origin, "checkout", "-q", "topic")
    job.commit({"deep/old.yaml": pod(REFUSED, "  # changed", name="old")})
    head = git(job.origin, "rev-parse", "HEAD")
    job.event["pull_request"]["head"]["sha"] = head
    job.checkout(head, "--filter=blob:none")
    git(job.workspace, "config", "remote.origin.promisor", "true")
    git(job.workspace, "config", "remote.origin.partialclonefilter", "blob:none")
    compared(job.auto(), job.opened)


@case
def harm_is_told_and_so_is_that_there_is_none():
    job = Pull("harm")
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: one, labels: {pool: one}}\nspec: {%s}\n"
    git(job.origin, "checkout", "-q", "-f", "main")
    web = pod("  nodeSelector: {pool: one}", name="web")
    before = job.commit({"nodes.yaml": node % "", "web.yaml": web, ".kubetaint.yaml": "clusters: {a: {paths: ['**']}}\n"})
    after = job.commit({"nodes.yaml": node % "taints: [{key: new, effect: NoExecute}]"})
    result = job.checkout(after).run({"base": before, "fail-on": "never"})
    [told] = [text for word, title, _, text in annotations(result) if (word, title) == ("warning", "kubetaint")]
    assert result.code == 0 and "evicted" in told and "*" not in told, (told, result.log)
    result = job.run({"base": before, "fail-on": "never", "annotations": "false"})
    assert result.commands == [] and told in result.summary.replace("*", "")
    again = job.commit({"README.md": "nothing\n"})
    result = job.checkout(again).run({"base": after})
    assert (result.code, result.commands) == (0, []), result.log
    # The table would be empty.
    assert len(result.summary.splitlines()) == 3, result.summary


@case
def hostile_names_in_a_change_are_no_commands():
    job = Pull("hostile")
    git(job.origin, "checkout", "-q", "-f", "topic")
    files = {}
    for number, text in enumerate(HOSTILE):
        value = json.dumps(text.format(job.trap))
        files[f"deep/{number}.yaml"] = pod(f"  nodeSelector: {{{value}: {value}}}", DANGEROUS, name=value)
    head = job.commit(files)
    result = job.checkout(head).run({"base": job.opened})
    assert int(result.outputs["findings"]) > len(HOSTILE), result.log


# What the README's step asks of `gh api`, with the comments of a pull request in a file.
GH = """#!%s
import argparse, json, sys
from pathlib import Path
import jq

parser = argparse.ArgumentParser()
for option in ("--jq", "--method", "--field"):
    parser.add_argument(option)
for option in ("--paginate", "--silent"):
    parser.add_argument(option, action="store_true")
parser.add_argument("command", choices=["api"])
parser.add_argument("path")
asked = parser.parse_args()
file = Path(%r)
comments = json.loads(file.read_text())
if asked.field:
    name, value = asked.field.split("=@")
    body = {name: Path(value).read_text()}
if asked.jq:
    assert asked.path == "repos/example/shop/issues/7/comments" and asked.paginate
    print("\\n".join(str(one) for one in jq.all(asked.jq, comments)))
elif asked.method == "PATCH":
    [mine] = [one for one in comments if asked.path == f"repos/example/shop/issues/comments/{one['id']}"]
    mine.update(body)
else:
    assert asked.path == "repos/example/shop/issues/7/comments" and not asked.method
    comments.append({"id": 100 + len(comments), "user": {"type": "Bot"}, **body})
file.write_text(json.dumps(comments))
"""


@case
def the_step_that_comments_writes_one_comment():
    texts = [text.split("```")[0] for text in (TOP / "README.md").read_text().split("```yaml\n")[1:]]
    flows = [yaml.safe_load(text) for text in texts if text.startswith("name: kubetaint\n")]
    # Linters have read these files.
    assert [yaml.safe_load(file.read_text()) for file in sorted((WORK / "workflows").iterdir())] == flows
    steps = [step for flow in flows for step in flow["jobs"]["check"]["steps"] if step.get("name") == "Comment"]
    [step] = steps
    folder = WORK / "comment"
    folder.mkdir()
    comments, page = folder / "comments.json", folder / "a page.md"
    (folder / "gh").write_text(GH % (sys.executable, str(comments)))
    (folder / "gh").chmod(0o755)
    others = [
        {"id": 1, "user": {"type": "Bot"}, "body": "another report"},
        {"id": 2, "user": {"type": "User"}, "body": "> <!-- kubetaint diff -->"},
    ]
    comments.write_text(json.dumps(others))
    given = {"NUMBER": "7", "FILE": str(page), "GITHUB_REPOSITORY": "example/shop", "PATH": f"{folder}:{os.environ['PATH']}"}
    assert set(step["env"]) == {"GH_TOKEN", "NUMBER", "FILE"}
    for text in ("first <!-- kubetaint diff -->\n", "@second $(x) <!-- kubetaint diff -->\n"):
        page.write_text(text)
        ran = subprocess.run(["bash", "-e", "-c", step["run"]], env=given, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        assert json.loads(comments.read_text()) == [*others, {"id": 102, "user": {"type": "Bot"}, "body": text}]
