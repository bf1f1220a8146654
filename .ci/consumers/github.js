// Reads workflow commands as a runner does and writes them again with GitHub's own toolkit: the bytes must be the same.
// Usage: github.js CORE REPORT
const fs = require('node:fs');
const path = require('node:path');

const [core, report] = process.argv.slice(2);
const { issueCommand } = require(path.join(core, 'lib', 'command.js'));

const data = (text) => text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
const property = (text) =>
  text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%25', '%');

let written = '';
process.stdout.write = (text) => {
  written += text;
  return true;
};
const lines = fs.readFileSync(report, 'utf8').split('\n').slice(0, -1);
const counts = {};
for (const line of lines) {
  if (!line.startsWith('::')) {
    if (line.includes('##[')) throw new Error(`a runner would obey: ${line}`);
    continue;
  }
  const end = line.indexOf('::', 2);
  const [word, ...rest] = line.slice(2, end).split(' ');
  if (!['error', 'warning', 'notice'].includes(word)) throw new Error(`not an annotation: ${line}`);
  counts[word] = (counts[word] ?? 0) + 1;
  const properties = {};
  for (const pair of rest.join(' ').split(',')) {
    const at = pair.indexOf('=');
    properties[pair.slice(0, at)] = property(pair.slice(at + 1));
  }
  if (properties.col && properties.endLine && properties.line !== properties.endLine) {
    throw new Error(`columns of several lines: ${line}`);
  }
  written = '';
  issueCommand(word, properties, data(line.slice(end + 2)));
  if (written.trimEnd() !== line.trimEnd()) throw new Error(`${line}\nis written as\n${written}`);
}
for (const [word, times] of Object.entries(counts)) {
  if (times > 10) throw new Error(`${times} annotations of ${word}`);
}
