// Logs that want to be more than text: nothing of them is executed, and nothing breaks the layout.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { answered, checkLayout, count, given, open, rows, serve } from './browser.mjs';

export async function testHostile(browser) {
  const file = join(given.work, 'hostile.steno');
  execFileSync(given.hostile, [file]);
  const server = await serve(file);
  try {
    for (const viewport of [{ width: 1280, height: 720 }, { width: 390, height: 844 }]) {
      const { page, check, close } = await open(browser, server.url, { viewport });
      await page.waitForSelector('#list .row .message');
      const records = rows('cat', file).length;
      assert.equal(await count(page), records);
      for (const tab of ['breakdown', 'compare', 'latency', 'threads', 'request', 'lines']) {
        await page.click(`#tab-${tab}`);
        await page.waitForFunction(() => !document.querySelector('main .loading'));
        if (tab === 'breakdown') {
          for (const by of await page.$$eval('#by option', (options) => options.map((o) => o.value))) {
            await page.selectOption('#by', by);
            await answered(page, '#breakdown', { by });
            await checkLayout(page, `by ${by}`);
          }
        }
        if (tab === 'request') {
          for (const key of await page.$$eval('#key option', (options) => options.map((o) => o.value))) {
            await page.selectOption('#key', key);
            await page.fill('#value', '7');
            await page.press('#value', 'Enter');
            await page.waitForFunction(() => !document.querySelector('main .loading'));
            await checkLayout(page, `request by ${key}`);
          }
        }
        await checkLayout(page, `${tab} of a hostile log`);
      }
      // Each record that is seen, with all its fields, and filters by some of them.
      for (const row of await page.$$eval('#list .row', (all) => all.map((r) => r.id).slice(0, 20))) {
        await page.click(`#${row}`);
        await page.waitForSelector('#record .neighbours li.open');
        await checkLayout(page, `record ${row}`);
        await page.click('#record .close');
      }
      await page.click('#about');
      await checkLayout(page, 'processes');
      await page.click('dialog .close');
      // Elements that only markup of the log can have made.
      const made = await page.evaluate(() => document.querySelectorAll('script:not([src="app.js"]), img, iframe, u, dialog b b, tenant, [onerror]').length);
      assert.equal(made, 0);
      check();
      await close();
    }
  } finally {
    await server.stop();
  }
}
