// A page over the log of a process that runs: what it logs appears, a level is switched from the page, and kill -9 loses nothing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { answered, checkLayout, count, given, open, ready, rows, serve } from './browser.mjs';
import { containers, verdictOf } from './containers.mjs';

// Looks again until it is so; fails after a minute and a half.
async function until(what, condition) {
  for (const end = performance.now() + 90_000; performance.now() < end; ) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`not within 90 s: ${what}`);
}

function logged(file) {
  try {
    return rows('cat', file).length;
  } catch {
    return 0; // not a log yet
  }
}

// Levels are switched in the process of the record, or in one that is chosen; never in another one silently.
async function testOwners(browser, file) {
  const server = await serve(file, ...containers('owners').filter((name) => name.endsWith('web1.steno')));
  try {
    const { page, check, close } = await open(browser, server.url);
    for (const [where, runs] of [['program == "server"', false], ['program != "server"', true]]) {
      await page.fill('#where', where);
      await page.press('#where', 'Enter');
      await answered(page, '#list', { where });
      await page.click('#row0');
      await page.click('#record button[title^="Switch this statement"]');
      await page.waitForSelector('#levels');
      assert.equal(await page.locator('#gone').count(), runs ? 0 : 1, where);
      assert.equal((await page.inputValue('#levels [name=session]')) !== '', runs, where);
      if (!runs) assert.match(await page.textContent('#gone'), /server 1 on node1, does not run/);
      await page.click('dialog .close');
      await page.click('#record .close');
      await page.click('.chip .remove');
    }
    check();
    await close();
  } finally {
    await server.stop();
  }
}

export async function testLive(browser) {
  process.env.STENO_STAGING = join(given.work, 'staging');
  mkdirSync(process.env.STENO_STAGING, { recursive: true });
  const file = join(given.work, 'live.steno');
  const program = spawn(given.program, [file], { stdio: 'inherit' });
  const ended = new Promise((resolve) => program.on('exit', resolve));
  let server;
  try {
    await until('records', () => existsSync(file) && logged(file) > 0);
    server = await serve(file);
    const { page, check, close } = await open(browser, server.url);
    await page.click('text=newest first');
    await answered(page, '#list', { order: 'newest' });
    await page.click('#live');
    const first = await count(page);
    await page.waitForFunction((first) => Number(document.querySelector('#selected').dataset.count) > first + 20, first);
    // The newest line is among those seen, without a step by hand.
    const text = await page.textContent('#list .row .message >> nth=0');
    await page.waitForFunction((text) => document.querySelector('#list .row .message').textContent !== text, text);
    await checkLayout(page, 'live');

    assert.equal(await page.locator('.legend [data-level=DEBUG]').count(), 0);
    await page.click('#control');
    await page.selectOption('#levels [name=what]', 'logger');
    await page.fill('#levels [name=logger]', 'counting');
    await page.selectOption('#levels [name=level]', 'DEBUG');
    await page.click('#levels button');
    await page.waitForSelector('#levels .done');
    await page.click('dialog .close');
    await page.waitForSelector('.legend [data-level=DEBUG]');

    await testOwners(browser, file);

    program.kill('SIGKILL');
    await ended;
    const all = logged(file); // with what is left in shared memory
    await page.waitForFunction((all) => Number(document.querySelector('#selected').dataset.count) === all, all);
    await page.waitForFunction(() => !document.querySelector('#about').textContent.includes('running'));
    await page.waitForSelector('.sign.death');
    await page.reload();
    await ready(page);
    assert.equal(await count(page), all);
    assert.equal(rows('agg', file, '--op', 'count')[0].count, all);
    assert.equal(await verdictOf(page, file), '✓ complete');
    check();
    await close();
  } finally {
    program.kill('SIGKILL');
    await server?.stop();
    rmSync(process.env.STENO_STAGING, { recursive: true, force: true });
  }
}
