// Common parts of the tests of the page: the command as an oracle, a server, a browser, and waits for conditions.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const given = Object.fromEntries(process.argv.slice(2).map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]));

// Standard output of the command.
export function steno(...words) {
  return execFileSync(given.steno, words, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
}

export function rows(...words) {
  return steno(...words, '--format', 'json').split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

// Nanoseconds of a time as the command or the page prints it.
export function nsOf(text) {
  const m = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)\.(\d{9})Z$/.exec(text);
  assert.ok(m, `no time: ${text}`);
  return BigInt(Date.parse(`${m[1]}T${m[2]}Z`)) * 1_000_000n + BigInt(m[3]);
}

// `steno web` on these files, and the address that it prints.
export async function serve(...files) {
  const server = spawn(given.steno, ['web', '--no-open', ...files], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (bytes) => {
      text += bytes;
      if (text.includes('\n')) resolve(text.trim());
    });
    server.on('exit', (code) => reject(new Error(`steno web ended with ${code}`)));
  });
  return { url, stop: () => new Promise((resolve) => { server.on('exit', resolve); server.kill('SIGINT'); }) };
}

export async function launch() {
  const { chromium } = createRequire(join(given.modules, 'x'))('playwright-core');
  // Root has no sandbox in containers; the pages shown are our own.
  return chromium.launch({ executablePath: given.browser, args: ['--no-sandbox'] });
}

// A page of its own. Whatever goes wrong in it fails the test at `check`: exceptions, refusals of the policy, requests elsewhere.
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  if (given.dist) { // assets of a tree instead of those in the server
    for (const name of ['app.js', 'app.css']) await context.route(`**/${name}`, (route) => route.fulfill({ path: join(given.dist, name) }));
    await context.route((url) => url.pathname === '/' && !url.search, (route) => route.fulfill({ path: join(given.dist, 'index.html'),
      headers: { 'content-type': 'text/html', 'content-security-policy': "default-src 'self'" } }));
  }
  const page = await context.newPage();
  page.setDefaultTimeout(90_000);
  const faults = [];
  const origin = new URL(url).origin;
  page.on('pageerror', (error) => faults.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    // The browser itself says so of each answer 400, which tests provoke, and of a kept connection that the server has closed
    // meanwhile, for which it makes another.
    if (message.type() === 'error' && !/status of (400|404|503)|ERR_SOCKET_NOT_CONNECTED/.test(message.text())) faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => { faults.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on('request', (request) => { if (!request.url().startsWith(origin) && !request.url().startsWith('blob:')) faults.push(`asks ${request.url()}`); });
  await page.goto(url);
  if (given.dist) await page.goto('about:blank').then(() => page.goto(`${origin}/${new URL(url).hash}`));
  await ready(page).catch(async (error) => { throw new Error(`${error.message}\n${faults}\n${(await page.content()).slice(0, 2000)}`); });
  return { page, check: () => assert.deepEqual(faults, []), close: () => context.close() };
}

export async function ready(page) {
  await page.waitForSelector('.page[data-ready="1"]');
}

// Waits until an element shows the answer to a question with these parameters; null: without this one.
export async function answered(page, selector, parameters) {
  await page.waitForFunction(([selector, parameters]) => {
    const element = document.querySelector(selector);
    if (!element?.dataset.path) return false;
    const asked = new URLSearchParams(element.dataset.path.split('?')[1] ?? '');
    return Object.entries(parameters).every(([name, value]) => (asked.get(name) ?? null) === value) && !document.querySelector('main .loading')
      && document.querySelector('.page[data-ready="1"]') !== null;
  }, [selector, parameters]);
}

// The parameters of time, as the fragment has them.
export async function selection(page) {
  await page.waitForFunction(() => new URLSearchParams(location.hash.slice(1)).get('selection'));
  const [from, to] = (await fragment(page)).get('selection').split('..');
  return { from, to };
}

export async function fragment(page) {
  return new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
}

export async function count(page, selector = '#selected') {
  return Number(await page.getAttribute(selector, 'data-count'));
}

// Texts of the cells of a table's body.
export async function cells(page, selector) {
  return page.$$eval(`${selector} tbody tr`, (trs) => trs.map((tr) => [...tr.children].map((td) => td.textContent)));
}

// All lines of the list, by scrolling through it: [time, level, message].
export async function allLines(page) {
  const total = await count(page, '#lines-total');
  const found = new Map();
  await page.$eval('#list', (list) => { list.scrollTop = 0; });
  for (let next = 1; found.size < total; ) {
    await page.waitForFunction((next) => document.querySelector(`#list [aria-rowindex="${next}"] .message`) !== null, next);
    const seen = await page.$$eval('#list [role=row]', (rows) => rows.filter((row) => row.querySelector('.message')).map((row) =>
      [Number(row.getAttribute('aria-rowindex')), row.querySelector('.time').title, row.querySelector('.level').textContent, row.querySelector('.message').textContent]));
    for (const [index, ...line] of seen) found.set(index, line);
    const before = next;
    while (found.has(next)) next++;
    if (next > total) break;
    assert.ok(next > before, `the list stops at row ${next} of ${total}`);
    await page.$eval('#list', (list, next) => {
      const row = list.querySelector('[role=row]');
      list.scrollTop = (next - 1) * row.offsetHeight - 2;
    }, next);
  }
  return [...found].sort((a, b) => a[0] - b[0]).map(([, line]) => line);
}

// Nothing sticks out sideways, and each control has a name for those who do not see it.
export async function checkLayout(page, about) {
  const found = await page.evaluate(() => {
    const wrong = [];
    if (document.documentElement.scrollWidth > innerWidth) wrong.push(`the page is ${document.documentElement.scrollWidth} wide`);
    if (document.documentElement.scrollHeight > innerHeight) wrong.push(`the page is ${document.documentElement.scrollHeight} high`);
    for (const element of document.querySelectorAll('button, a, input, select, [tabindex], [role=img], dialog')) {
      const name = element.getAttribute('aria-label') || element.textContent.trim() || element.title || [...(element.labels ?? [])].map((l) => l.textContent).join('');
      if (!name) wrong.push(`no name: ${element.outerHTML.slice(0, 200)}`);
    }
    return wrong;
  });
  assert.deepEqual(found, [], about);
}
