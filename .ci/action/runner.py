"""Plays GitHub's runner for a composite action: evaluates action.yml, runs its steps, and reads what they leave behind."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

import yaml

# What a runner obeys; other words between colons are text.
COMMANDS = {
    "error", "warning", "notice", "debug", "group", "endgroup", "echo", "add-mask", "add-matcher", "remove-matcher",
    "stop-commands", "set-output", "save-state", "set-env", "add-path", "internal-set-repo-path",
}  # fmt: skip


class Result:
    """What is left of a run of the action: its code, its log, the commands in it, outputs, summary, and the steps with
    `uses` that would have run."""

    def __init__(self):
        self.code = 0
        self.log = ""
        self.commands = []
        self.outputs = {}
        self.summary = ""
        self.used = []


class Runner:
    """A job on a runner of its own: the folders that it has, and the environment of its steps."""

    def __init__(self, action, workspace, folder, environment):
        self.action = Path(action)
        self.workspace = Path(workspace)
        self.folder = Path(folder)
        self.environment = environment

    def run(self, inputs=None, **environment):
        """The action with these inputs; those that are not given have their defaults."""
        inputs = inputs or {}
        form = yaml.safe_load((self.action / "action.yml").read_text())
        unknown = set(inputs) - set(form["inputs"])
        assert not unknown, f"action.yml has no inputs {unknown}"
        values = {f"inputs.{name}": inputs.get(name, one["default"]) for name, one in form["inputs"].items()}
        assert all(isinstance(value, str) for value in values.values()), "inputs are texts"
        values.update(events(environment.pop("event", {})))
        values["github.action_repository"] = environment.pop("repository", "example/kubetaint")
        result = Result()
        for step in form["runs"]["steps"]:
            failed = result.code != 0
            if not condition(step.get("if"), values, failed):
                continue
            if "uses" in step:
                given = {name: evaluate(value, values) for name, value in step["with"].items()}
                result.used.append((step["uses"], given))
                continue
            outputs = self.step(step, values, environment, result)
            values.update({f"steps.{step['id']}.outputs.{name}": value for name, value in outputs.items()})
        result.outputs = {name: evaluate(one["value"], values) for name, one in form["outputs"].items()}
        return result

    def step(self, step, values, environment, result):
        """A step with `run`: its outputs; the rest goes into the result."""
        assert "${{" not in step["run"], "nothing from outside becomes part of a script"
        assert step["shell"] == "bash"
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            files = {name: Path(folder) / name for name in ("script", "output", "summary")}
            for file in files.values():
                file.touch()
            files["script"].write_text(step["run"])
            temporary = self.folder / "runner temp"
            temporary.mkdir(exist_ok=True)
            variables = {
                **self.environment,
                **{name: evaluate(value, values) for name, value in step.get("env", {}).items()},
                "GITHUB_OUTPUT": str(files["output"]),
                "GITHUB_STEP_SUMMARY": str(files["summary"]),
                "GITHUB_ACTION_PATH": str(self.action),
                "GITHUB_WORKSPACE": str(self.workspace),
                "GITHUB_ACTION_REPOSITORY": "",
                "RUNNER_TEMP": str(temporary),
                **environment,
            }
            ran = subprocess.run(
                ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(files["script"])],
                cwd=self.workspace,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            log = ran.stdout.decode("utf-8", "replace")
            result.code = result.code or ran.returncode
            result.log += log
            result.commands += commands(log)
            result.summary += files["summary"].read_text()
            return assignments(files["output"].read_text())


def condition(text, values, failed):
    """Whether a step runs. Without a condition, it runs when none before it has failed."""
    if text is None:
        return not failed
    parts = re.fullmatch(r"\$\{\{ (.*) \}\}", text).group(1).split(" && ")
    if "!cancelled()" not in parts and failed:
        return False
    return all(part == "!cancelled()" or compared(part, values) for part in parts)


def compared(text, values):
    """`name == 'text'`, as the runner compares: in either case."""
    name, wanted = re.fullmatch(r"([\w.-]+) == '([^']*)'", text).groups()
    return values.get(name, "").lower() == wanted.lower()


def evaluate(text, values):
    """A text with its expressions replaced. All that action.yml has are names."""
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: known(found.group(1), values), text)


def known(name, values):
    """What a name stands for; outputs that were not set are empty, and so is what an event does not have."""
    return values.get(name, "") if name.startswith(("steps.", "github.event.")) else values[name]


def events(event, prefix="github.event"):
    """What an event tells, by the names that expressions have for it."""
    found = {}
    for name, value in event.items():
        below = f"{prefix}.{name}"
        found.update(events(value, below) if isinstance(value, dict) else {below: value or ""})
    return found


def commands(log):
    """The commands that a runner would obey, as (word, properties, text), read as it reads them."""
    found = []
    for line in re.split(r"\r\n|\r|\n", log):
        trimmed = line.lstrip()
        second = re.fullmatch(r"::([^ ]*?)(?: (.*?))?::(.*)", trimmed)
        first = re.search(r"##\[([^ \]]*)[^\]]*\]", line)
        if second and second.group(1) in COMMANDS:
            pairs = [pair.partition("=") for pair in (second.group(2) or "").split(",")]
            properties = {name: unescaped(value) for name, _, value in pairs if name}
            found.append((second.group(1), properties, unescaped(second.group(3))))
        elif first and first.group(1) in COMMANDS:
            found.append((first.group(1), {}, line))
    return found


def unescaped(text):
    """The text of a command, or of a property."""
    for written, meant in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(written, meant)
    return text


def assignments(text):
    """What a step wrote into GITHUB_OUTPUT."""
    found = {}
    lines = iter(text.split("\n"))
    for line in lines:
        equals, mark = line.find("="), line.find("<<")
        if mark >= 0 and (equals < 0 or mark < equals):
            name, end = line[:mark], line[mark + 2 :]
            value = []
            for inner in lines:
                if inner == end:
                    break
                value.append(inner)
            else:
                raise AssertionError(f"{name} has no end")
            found[name] = "\n".join(value)
        elif equals >= 0:
            found[line[:equals]] = line[equals + 1 :]
        else:
            assert not line, f"not an output: {line}"
    return found


def tools(folder, names):
    """A folder for PATH with these programs and no other."""
    folder.mkdir()
    for name in names:
        for place in os.environ["PATH"].split(os.pathsep):
            if os.access(Path(place) / name, os.X_OK):
                (folder / name).symlink_to(Path(place) / name)
                break
        else:
            raise SystemExit(f"{name} is missing: the action needs it")
    return str(folder)
