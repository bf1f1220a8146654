"""Validates the reports of a folder: GitLab's by the schema beside this file, JUnit's by its XSD, JSON lines by JSON.

Usage: validate.py HERE XSD FOLDER
"""

import json
import sys
from pathlib import Path

import jsonschema
import xmlschema

here, xsd, folder = (Path(argument) for argument in sys.argv[1:])


def report(name):
    return (folder / f"report.{name}").read_text(encoding="utf-8")


whole = json.loads(report("json"))
findings = whole["findings"]

gitlab = json.loads(report("gitlab"))
jsonschema.validate(gitlab, json.loads((here / "gitlab.schema.json").read_text()))
assert len({issue["fingerprint"] for issue in gitlab}) == len(gitlab) == len(findings)

xmlschema.XMLSchema(xsd).validate(str(folder / "report.junit"))
junit = report("junit")
assert junit.count("<failure ") + junit.count("<skipped ") == len(findings), "cases of JUnit"

lines = [json.loads(line) for line in report("jsonl").split("\n")[:-1]]
assert lines[:-1] == findings, "JSON lines and JSON differ"
assert lines[-1] == {key: whole[key] for key in whole if key != "findings"}

sarif = json.loads(report("sarif"))["runs"][0]
accepted = [result for result in sarif["results"] if "suppressions" in result]
assert len(sarif["results"]) - len(accepted) == len(findings)
assert len(accepted) == whole["summary"]["suppressed"] + whole["summary"]["baselined"]
rules = sarif["tool"]["driver"]["rules"]
for result in sarif["results"]:
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]

markdown = report("markdown")
assert len(markdown.encode()) < 1024 * 1024
assert markdown.count("\n| ") == len(findings) + 2 * bool(findings), "rows of the table"
