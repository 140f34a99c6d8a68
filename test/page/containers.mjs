// The page over processes and threads that little tells apart, over more marks than it has room for, and over damage.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answered, cells, checkLayout, count, given, open, serve } from './browser.mjs';

// The logs; in a directory of their own.
export function containers(name) {
  const directory = join(given.work, name);
  mkdirSync(directory, { recursive: true });
  execFileSync(given.containers, [directory]);
  return readdirSync(directory).filter((file) => file.endsWith('.steno')).sort().map((file) => join(directory, file));
}

// Returns the records that the command prints, though it also reports that a record is missing.
function printed(...words) {
  const { stdout, stderr } = spawnSync(given.steno, words, { encoding: 'utf8' });
  assert.ok(stdout, stderr);
  return stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

export async function testContainers(browser) {
  const files = containers('containers');
  const server = await serve(...files, '--shift', 'node2=-1.7s', '--show-secrets');
  try {
    const { page, check, close } = await open(browser, server.url);
    assert.match(await page.textContent('#about'), /5 processes, 1 died/);
    assert.equal(await page.locator('.sign.death').count(), 1);
    assert.match(await page.textContent('#more-marks'), /^51\d more marks/);

    // Each row of a thread leads to its records, and to no others.
    await page.click('#tab-threads');
    await answered(page, '#threads', { where: null });
    const threads = await cells(page, '#threads');
    const wanted = printed('agg', ...files, '--by', 'session.host', '--by', 'session.pid', '--by', 'tid', '--op', 'count', '--format', 'json');
    assert.equal(threads.length, wanted.length);
    for (let i = 0; i < threads.length; i++) {
      const [, process, , records] = threads[i];
      await page.click(`#threads tbody tr:nth-child(${i + 1}) .name button`);
      const where = await page.textContent('.chip .text');
      await answered(page, '#selected', { where });
      await answered(page, '#list', { where, order: 'newest' });
      assert.equal(await count(page), Number(records.replace(',', '')), process);
      assert.equal(await count(page, '#lines-total'), Number(records.replace(',', '')), process);
      await page.click('.chip .remove');
      await page.click('#tab-threads');
      await answered(page, '#threads', { where: null });
    }

    // The copied command has the shifts of the server: its times are those of the page.
    await page.click('#tab-lines');
    await page.click('text=oldest first');
    await page.fill('#where', 'request_id == 77');
    await page.press('#where', 'Enter');
    await answered(page, '#list', { where: 'request_id == 77', order: 'oldest' });
    const command = await page.getAttribute('#copy-command', 'data-text');
    assert.ok(command.includes('--show-secrets'), command);
    const lines = spawnSync('sh', ['-c', `${command.replace(/^steno/, `'${given.steno}'`)} --format json`], { encoding: 'utf8' }).stdout.split('\n').filter(Boolean);
    const times = await page.$$eval('#list .row .time', (spans) => spans.map((span) => span.title));
    assert.deepEqual(times, lines.map((line) => JSON.parse(line).time.replace('T', ' ')));
    await page.click('.chip .remove');
    check();
    await close();
  } finally {
    await server.stop();
  }

  const unshifted = await serve(...files);
  try {
    const { page, check, close } = await open(browser, `${unshifted.url}#tab=request&key=request_id&value=77`);
    await answered(page, '#request', { key: 'request_id', value: '77' });
    assert.equal(await page.locator('#request .lane.span').count(), 2);
    const summary = () => page.textContent('section[aria-label="One request"] form .count');
    assert.match(await summary(), /^4 records, 2\.3 s, 2 threads, 2 hosts$/);
    // A host's spans move with its records.
    await page.fill('label:has-text("node2") input', '-1.7s');
    await page.waitForFunction(() => document.querySelector('section[aria-label="One request"] form .count').textContent.includes('records, 1 s,'));
    const bars = await page.$$eval('#request .lane.span', (lanes) => lanes.map((lane) => {
      const [track, bar] = [lane.querySelector('.track').getBoundingClientRect(), lane.querySelector('.bar').getBoundingClientRect()];
      return [(bar.left - track.left) / track.width, bar.width / track.width].map((part) => Math.round(part * 20) / 20);
    }));
    assert.deepEqual(bars, [[0, 1], [0.1, 0.5]]);
    await checkLayout(page, 'containers');
    check();
    await close();
  } finally {
    await unshifted.stop();
  }
}

// Returns the page's verdict on the log, once there is one. Its dialog has the lines of `steno verify`.
export async function verdictOf(page, file) {
  await page.waitForSelector('#complete[data-checked="1"]');
  const said = spawnSync(given.steno, ['verify', file], { encoding: 'utf8' }).stdout.trim().split('\n');
  await page.click('#complete');
  assert.equal(await page.textContent('#verdict'), said.at(-1));
  assert.deepEqual(await page.$$eval('dialog .damage li', (items) => items.map((item) => item.textContent)), said.slice(0, -1));
  await page.click('dialog .close');
  return page.textContent('#complete');
}

// Nothing is damaged, and yet records are missing.
export async function testDrops(browser) {
  const file = join(given.work, 'drops.steno');
  execFileSync(given.live, [file, 'drops']);
  const server = await serve(file);
  try {
    const { page, check, close } = await open(browser, server.url);
    assert.match(await verdictOf(page, file), /^⚠ incomplete: [\d,]+ lost$/);
    check();
    await close();
  } finally {
    await server.stop();
  }
}

export async function testDamage(browser) {
  const [file] = containers('damaged').filter((name) => name.endsWith('web1.steno'));
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1] ^= 0xff;
  writeFileSync(file, bytes);
  const server = await serve(file);
  try {
    const { page, close } = await open(browser, server.url);
    assert.match(await verdictOf(page, file), /^⚠ incomplete/);
    await close();
  } finally {
    await server.stop();
  }
}
