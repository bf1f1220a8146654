// Writes repositories to show in a page, the same ones each time. Usage: repositories.js FOLDER; writes FOLDER/large (1,000 shapes
// of pods, 60 pools, one cluster) and FOLDER/hostile (two clusters whose names mean harm).
const fs = require('node:fs');
const path = require('node:path');

const [folder] = process.argv.slice(2);
const SHAPES = 1000;
const POOLS = 60;

function write(name, text) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
}

// JSON is YAML, so that nothing in a name needs quotes of its own.
const document = (value) => `---\n${JSON.stringify(value)}\n`;

function pool(name, labels, taints) {
  return document({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { template: { metadata: { labels }, spec: { requirements: [], taints } } },
  });
}

function deployment(namespace, name, tolerations, nodeSelector) {
  return document({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace, name },
    spec: { template: { spec: { nodeSelector, tolerations, containers: [{ name: 'main', image: 'main' }] } } },
  });
}

const number = (at) => String(at).padStart(4, '0');
const key = (at) => `example.com/team-${at}`;

let text = '';
for (let at = 0; at < POOLS; at += 1) {
  const taints = [];
  if (at % 3 === 0) taints.push({ key: key(at), value: 'yes', effect: 'NoSchedule' });
  if (at % 5 === 0) taints.push({ key: 'example.com/spot', value: 'yes', effect: 'PreferNoSchedule' });
  text += pool(`pool-${number(at)}`, { 'example.com/tier': `tier-${at % 4}` }, taints);
}
write('large/pools.yaml', text);
write('large/.kubetaint.yaml', 'clusters: {prod: {paths: ["**"], complete: true}}\n');
for (let from = 0; from < SHAPES; from += 20) {
  text = '';
  for (let at = from; at < from + 20; at += 1) {
    const tolerations = [{ key: `example.com/app-${at}`, operator: 'Exists' }];
    for (let other = 0; other < at % 7; other += 1) {
      tolerations.push({ key: key((at * 3 + other * 9) % POOLS), operator: 'Exists', effect: 'NoSchedule' });
    }
    if (at % 5 < 2) tolerations.push({ key: 'example.com/spot', operator: 'Exists' });
    let selector = {};
    if (at % 3 === 0) selector = { 'example.com/tier': `tier-${at % 4}` };
    if (at % 40 === 7) selector = { 'example.com/tier': 'tier-of-nobody' };
    const namespace = `team-${at % 12}`;
    text += deployment(namespace, `web-${number(at)}`, tolerations, selector);
    if (at % 3 === 1) text += deployment(`team-${(at + 1) % 12}`, `worker-${number(at)}`, tolerations, selector);
  }
  write(`large/apps/${number(from)}.yaml`, text);
}

const harm = (name) => `${name}</script><img src=x onerror="window.harmed='${name}'">`;
const turned = '\u202e\u2067turned\u200f';
const quotes = `"'\`&lt;\${window.harmed=1}\\`;
const taint = [{ key: 'example.com/gpu', value: 'yes', effect: 'NoSchedule' }];
write('hostile/.kubetaint.yaml', JSON.stringify({ clusters: { [harm('cluster')]: { paths: ['a/**'] }, plain: { paths: ['b/**'], complete: true } } }));
write('hostile/a/pools.yaml', pool(harm('pool'), {}, taint) + pool(turned, {}, []) + pool('long'.repeat(500), {}, taint));
write(`hostile/a/<img src=x onerror=window.harmed=2>.yaml`,
  deployment(harm('namespace'), harm('name'), [], {}) + deployment(quotes, turned, [{ key: harm('key'), operator: 'Exists' }], {}));
write('hostile/a/long.yaml', deployment('long'.repeat(500), 'long'.repeat(500), [], { [harm('label')]: 'x' }));
write('hostile/b/pools.yaml', pool('gpu', { gpu: 'yes' }, taint) + pool('general', {}, []));
write('hostile/b/web.yaml', deployment('shop', 'web', [], {}) + deployment('shop', 'render', [], { gpu: 'yes' }));
