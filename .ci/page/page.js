// Opens pages of the matrix in Chromium as people do: with a mouse, with a keyboard, with a screen reader, on paper.
// Usage: page.js NODE_MODULES CHROMIUM FOLDER; the folder holds large.html and hostile.html. With KUBETAINT_PICTURES, a folder,
// it keeps pictures of what it sees.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');

const [modules, executablePath, folder] = process.argv.slice(2);
const { chromium } = require(path.resolve(modules, 'playwright-core'));
const axe = fs.readFileSync(path.resolve(modules, 'axe-core', 'axe.min.js'), 'utf8');
const pictures = process.env.KUBETAINT_PICTURES;
const LIMIT = 2000;

const said = (text) => console.log(`ok: ${text}`);

async function main() {
  // What the pages ask for, apart from themselves.
  const asked = [];
  const wrong = [];
  const server = http.createServer((request, response) => {
    const name = request.url.slice(1);
    if (!['large.html', 'hostile.html'].includes(name)) {
      asked.push(request.url);
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/html' }).end(fs.readFileSync(path.join(folder, name)));
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const home = `http://127.0.0.1:${server.address().port}`;

  const context = await chromium.launchPersistentContext(path.join(folder, 'profile'), {
    executablePath,
    headless: true,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'],
    viewport: { width: 1280, height: 800 },
  });
  context.on('request', (request) => {
    const url = request.url();
    if (!/^data:|\/(large|hostile)\.html$/.test(url)) asked.push(url);
  });
  const page = await context.newPage();
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) wrong.push(message.text()); });
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('dialog', (dialog) => { wrong.push(dialog.message()); dialog.dismiss(); });

  const open = async (name) => {
    const begin = performance.now();
    await page.goto(`${home}/${name}.html`, { waitUntil: 'load' });
    await page.evaluate(() => new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); }));
    assert.ok(await page.locator('tbody td[role], tbody td.v0').count() > 0, 'no cell is shown');
    return performance.now() - begin;
  };
  const count = () => page.getByRole('status').textContent();
  const counts = (text) => page.waitForFunction((wanted) => document.getElementById('count').textContent.startsWith(wanted), text, { timeout: 5000 });
  const focused = () => page.evaluate(() => {
    const cell = document.activeElement.closest('th, td');
    return cell && [Number(cell.parentNode.getAttribute('aria-rowindex')), Number(cell.getAttribute('aria-colindex'))];
  });
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };
  const picture = async (name) => { if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) }); };
  const accessible = async (where) => {
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    const violations = found.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html} ${node.failureSummary}`).join('\n')}`);
    assert.deepEqual(violations, [], where);
    said(`axe has nothing to say against ${where}`);
  };

  // Speed. The first opening also starts the browser's parts.
  const first = await open('large');
  const second = await open('large');
  assert.ok(first < LIMIT && second < LIMIT, `opened in ${first} and ${second} ms`);
  said(`1,000 rows and 60 pools open in ${Math.round(first)} ms, then in ${Math.round(second)} ms`);
  assert.equal(await count(), '1,000 rows with 1,333 workloads in 1 cluster; 34 can run on no known pool');
  const nodes = await page.evaluate(() => document.getElementsByTagName('*').length);
  assert.ok(nodes < 20000, `${nodes} nodes`);

  // What the grid says of itself.
  const grid = page.getByRole('grid', { name: /^prod/ });
  assert.equal(await grid.getAttribute('aria-rowcount'), '1001');
  assert.equal(await grid.getAttribute('aria-colcount'), '61');
  assert.equal(await grid.getByRole('columnheader').count(), 61);
  await grid.getByRole('rowheader', { name: 'team-0/Deployment/web-0000' }).first().waitFor();
  const words = await grid.getByRole('gridcell').evaluateAll((cells) => [...new Set(cells.map((cell) => cell.textContent))].sort());
  assert.deepEqual(words, ['kept out', 'lands', 'not selected', 'prefers not']);
  assert.equal(await page.locator('table [tabindex="0"]').count(), 1, 'the Tab key reaches one cell');
  said('a grid with headers, words and one stop for the Tab key');
  await accessible('the page in light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await accessible('the page in dark');
  await page.emulateMedia({ colorScheme: 'light' });

  // The mouse: scrolling shows other rows below the headers; a cell opens a panel.
  await page.locator('main').evaluate((node) => { node.scrollTop = node.scrollHeight; });
  await page.locator('tr[aria-rowindex="1001"]').waitFor();
  await page.locator('main').evaluate((node) => { node.scrollTop = node.scrollHeight / 2; });
  await page.locator('tr[aria-rowindex="500"]').waitFor();
  const head = await page.locator('thead th').nth(1).boundingBox();
  const main = await page.locator('main').boundingBox();
  assert.ok(Math.abs(head.y - main.y - 40) < 2, 'the headers stay');
  await page.locator('main').evaluate((node) => { node.scrollTop = 0; });
  const out = page.locator('tr[aria-rowindex="3"] td.v2').first();
  await out.click();
  const panel = page.getByRole('dialog');
  const told = await panel.innerText();
  for (const part of ['kept out', 'node(s) had untolerated taint(s)', 'TaintToleration', 'example.com/team-', ':NoSchedule', 'apps/0000.yaml:', 'pools.yaml:']) {
    assert.ok(told.includes(part), `the panel does not say ${part}:\n${told}`);
  }
  await picture('panel-1280');
  await accessible('the panel');
  await press('Escape');
  assert.equal(await panel.count(), 0);
  said('a cell opens the reason with both places');

  // The keyboard.
  await page.locator('#search').focus();
  for (let at = 0; at < 6; at += 1) await press('Tab');
  let at = await focused();
  assert.ok(at, 'Tab reaches the grid');
  await press('Control+Home');
  assert.deepEqual(await focused(), [2, 1]);
  await press('ArrowRight', 'ArrowDown');
  assert.deepEqual(await focused(), [3, 2]);
  await press('ArrowLeft', 'ArrowUp', 'ArrowUp', 'ArrowRight');
  assert.deepEqual(await focused(), [1, 2]);
  await press('Control+End');
  assert.deepEqual(await focused(), [1001, 61]);
  const seen = async () => {
    const cell = await page.evaluate(() => document.activeElement.getBoundingClientRect().toJSON());
    const box = await page.locator('main').boundingBox();
    assert.ok(cell.left >= box.x - 1 && cell.right <= box.x + box.width + 1 && cell.top >= box.y - 1 && cell.bottom <= box.y + box.height + 1,
      `the focus is out of sight: ${JSON.stringify(cell)}`);
    // Headers do not cover it.
    const top = await page.evaluate(() => {
      const box = document.activeElement.getBoundingClientRect();
      return document.activeElement.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2));
    });
    assert.ok(top, 'the focus is covered');
  };
  await seen();
  await press('Home');
  await seen();
  await press('PageUp', 'ArrowUp', 'ArrowRight', 'ArrowRight');
  await seen();
  at = await focused();
  for (let step = 0; step < 40; step += 1) await press('ArrowUp');
  await seen();
  assert.deepEqual(await focused(), [at[0] - 40, at[1]]);
  for (let step = 0; step < 20; step += 1) await press('ArrowRight');
  await seen();
  for (let step = 0; step < 20; step += 1) await press('ArrowLeft');
  await seen();
  // The cell with the focus keeps it while others scroll by.
  const before = await focused();
  await page.locator('main').evaluate((node) => { node.scrollTop = 0; });
  await page.locator('tr[aria-rowindex="2"]').waitFor();
  assert.deepEqual(await focused(), before);
  await press('Enter');
  assert.ok(await page.evaluate(() => document.activeElement.id === 'panel'), 'the panel has the focus');
  await press('Escape');
  assert.deepEqual(await focused(), before);
  await seen();
  assert.equal(await panel.count(), 0);
  said('arrows, Home, End and pages move, Enter opens, Escape closes and returns');

  // Filters.
  const search = page.locator('#search');
  await search.fill('WORKER-0001');
  await counts('1 row with 1 workload in 1 cluster');
  await search.fill('apps/0980.yaml');
  await counts('20 rows with 26 workloads');
  await search.fill('nowhere to be found');
  await counts('0 rows');
  await page.getByText('No row matches these filters.').waitFor();
  await search.fill('');
  await counts('1,000 rows');
  await page.locator('#namespace').selectOption({ label: 'team-2' });
  await counts('168 rows with 168 workloads');
  await page.locator('#pool').selectOption({ label: 'pool-0003' });
  assert.equal(await grid.getByRole('columnheader').count(), 2);
  await counts('168 rows');
  await page.locator('#pool').selectOption('');
  await page.locator('#namespace').selectOption('');
  await page.locator('#problems').check();
  await counts('25 rows with 34 workloads');
  assert.equal(await page.locator('tbody td').evaluateAll((cells) => cells.filter((cell) => /lands|prefers/.test(cell.textContent)).length), 0);
  await page.locator('#problems').uncheck();
  const typed = performance.now();
  await search.fill('web-09');
  await counts('100 rows');
  assert.ok(performance.now() - typed < 1000, 'a search takes long');
  await search.fill('');
  await counts('1,000 rows');
  said('search, namespace, pool and problems');

  // Paper.
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.equal(await page.locator('#print tbody tr').count(), 6000);
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await page.locator('#print *').count(), 0);
  await search.fill('web-000');
  await counts('10 rows');
  const pdf = await page.pdf({ preferCSSPageSize: true });
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 2 && pages <= 6, `${pages} pages`);
  if (pictures) fs.writeFileSync(path.join(pictures, 'paper.pdf'), pdf);
  await search.fill('');
  await counts('1,000 rows');
  said(`paper holds all rows and pools (${pages} pages for 10 rows)`);

  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: 800 });
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await picture(`large-${width}-${colorScheme}`);
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${width}: the page is too wide`);
    const box = await page.locator('main').boundingBox();
    assert.ok(box.height > 400, `${width}: little room for the grid, ${box.height}`);
    await page.locator('#narrow').check();
    await picture(`large-${width}-narrow`);
    await accessible(`narrow columns at ${width}`);
    await page.locator('#narrow').uncheck();
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('tr[aria-rowindex="3"] td.v2').first().click();
  await picture('panel-400');
  await press('Escape');
  await page.setViewportSize({ width: 1280, height: 800 });

  // Names that mean harm.
  await open('hostile');
  await counts('5 rows');
  assert.equal(await page.getByRole('grid').count(), 2);
  await page.locator('#narrow').focus();
  await press('Tab', 'ArrowDown', 'Tab');
  assert.equal(await page.evaluate(() => document.activeElement.closest('table') === document.querySelectorAll('table')[1]), true, 'Tab leads from grid to grid');
  await press('Tab');
  assert.equal(await focused().catch(() => null), null, 'Tab leads out of the last grid');
  for (const cell of await page.locator('tbody td:not(.gap td), tbody th, thead th').all()) await cell.click();
  await page.locator('main').evaluate((node) => { node.scrollLeft = 0; });
  await page.locator('tbody th').first().click();
  await picture('hostile-1280');
  await press('Escape');
  await page.locator('#cluster').selectOption({ label: 'plain' });
  await counts('2 rows with 2 workloads in 1 cluster');
  await page.locator('#cluster').selectOption('');
  await search.fill('</script><img');
  await counts('1 row');
  await search.fill('');
  await counts('5 rows');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.ok(await page.locator('#print tbody tr').count() > 0);
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  assert.equal(await page.locator('img, script[src], iframe').count(), 0);
  assert.ok(!/[\u202a-\u202e\u2066-\u2069\u200f]/.test(await page.content()), 'a sign turns text');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'a long name makes the page wide');
  said('names that mean harm are shown, and do nothing');

  assert.deepEqual(asked, [], 'the pages ask for more');
  assert.deepEqual(wrong, [], 'the console has something to say');
  // A page that was led astray could ask for nothing.
  const answer = await page.evaluate((url) => fetch(url).then(() => 'answered', () => 'refused'), `${home}/secret`);
  assert.equal(answer, 'refused');
  assert.deepEqual(asked.filter((url) => url === '/secret'), [], 'the policy of the page lets requests out');
  said('no request leaves a page');
  await context.close();
  server.close();
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
