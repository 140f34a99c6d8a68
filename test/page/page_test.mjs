// The page of `steno web` in Chromium, on a night of logs whose truth is known: what it shows is compared, number by number,
// with what commands print. Arguments are NAME=VALUE, as run_page.py gives them; shots=DIR also writes the pictures of the docs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allLines, answered, cells, checkLayout, count, fragment, given, launch, nsOf, open, ready, rows, selection, serve, steno } from './browser.mjs';
import { testContainers, testDamage, testDrops } from './containers.mjs';
import { testHostile } from './hostile.mjs';
import { testLive } from './live.mjs';

const directory = join(given.work, 'night');
mkdirSync(directory, { recursive: true });
execFileSync(given.incident, [directory, '7']);
const files = readdirSync(directory).filter((name) => name.endsWith('.steno')).sort().map((name) => join(directory, name));
const total = steno('cat', ...files).split('\n').length - 1;

// The page prints numbers like this: six digits at most.
const shown = (value) => String(Number(value.toPrecision(6)));
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ',');
const timed = ({ from, to }) => ['--since', from, '--until', to];
const lineOf = (record) => [record.time.replace('T', ' '), record.level, record.message];
const levelsOf = (page) => page.$$eval('.legend button', (buttons) => Object.fromEntries(buttons.map((b) => [b.dataset.level, b.querySelector('b').textContent])));

async function drag(page, from, to) {
  const box = await page.locator('#timeline').boundingBox();
  await page.mouse.move(box.x + box.width * from, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), box.y + box.height / 2);
  await page.mouse.move(box.x + box.width * to, box.y + box.height / 2);
  await page.mouse.up();
  const chosen = await selection(page);
  await answered(page, '#selected', chosen);
  return chosen;
}

const tests = {
  async 'counts of the whole log, by level'(page) {
    assert.equal(await count(page), total);
    const wanted = Object.fromEntries(rows('agg', ...files, '--op', 'count', '--by', 'level').map((r) => [r.level, grouped(r.count)]));
    assert.deepEqual(await levelsOf(page), wanted);
    await answered(page, '#list', { where: null });
    assert.equal(await count(page, '#lines-total'), total);
  },

  async 'a level: all its lines, in order, and the condition as a chip'(page) {
    await page.click('.legend [data-level=WARN]');
    await answered(page, '#list', { where: 'level >= WARN' });
    const wanted = rows('cat', ...files, '--where', 'level >= WARN').map(lineOf);
    assert.equal(await count(page), wanted.length);
    assert.deepEqual(await allLines(page), wanted);
    await page.click('text=newest first');
    await answered(page, '#list', { order: 'newest' });
    assert.deepEqual(await allLines(page), wanted.toReversed());
    await page.click('text=oldest first');
    await page.click('.chip .remove');
    await answered(page, '#list', { where: null, order: 'oldest' });
  },

  async 'any place of the list at once'(page) {
    const lines = rows('cat', ...files).map(lineOf);
    const row = (index) => page.$eval(`#list [aria-rowindex="${index}"]`, (r) => [r.querySelector('.time').title, r.querySelector('.level').textContent, r.querySelector('.message').textContent]);
    const there = (index) => page.waitForFunction((index) => document.querySelector(`#list [aria-rowindex="${index}"] .message`), index);
    await page.waitForFunction((n) => document.querySelector('#list > div').offsetHeight > n * 20, lines.length);
    await page.focus('#list');
    await page.keyboard.press('End');
    await there(lines.length);
    assert.deepEqual(await row(lines.length), lines[lines.length - 1]);
    for (const part of [0.5, 0.1, 0.77]) {
      const index = await page.$eval('#list', (list, part) => { list.scrollTop = list.scrollHeight * part; return Math.ceil(list.scrollTop / list.querySelector('[role=row]').offsetHeight) + 5; }, part);
      await there(index);
      assert.deepEqual(await row(index), lines[index - 1]);
    }
    await page.keyboard.press('Home');
    await there(1);
    assert.deepEqual(await row(1), lines[0]);
  },

  async 'a wrong condition says what the command says'(page) {
    await page.fill('#where', 'tenent == "acme"');
    await page.press('#where', 'Enter');
    await page.waitForSelector('#filter-error');
    let message = '';
    try { steno('cat', ...files, '--where', 'tenent == "acme"'); } catch (error) { message = String(error.stderr); }
    const text = await page.textContent('#filter-error');
    assert.ok(message.includes('tenent') && text.includes('tenant'), `${text}\n${message}`);
    await page.click('.chip .remove');
    await page.waitForSelector('#filter-error', { state: 'detached' });
  },

  async 'dragging selects; the copied command prints the same lines'(page) {
    const chosen = await drag(page, 0.5, 0.75);
    const wanted = rows('cat', ...files, ...timed(chosen));
    assert.equal(await count(page), wanted.length);
    assert.deepEqual(await levelsOf(page), Object.fromEntries(rows('agg', ...files, '--op', 'count', '--by', 'level', ...timed(chosen)).map((r) => [r.level, grouped(r.count)])));
    await page.fill('#where', 'tenant == "acme" or level >= ERROR');
    await page.press('#where', 'Enter');
    await answered(page, '#list', { where: 'tenant == "acme" or level >= ERROR' });
    await page.fill('#search', 'request');
    await answered(page, '#list', { q: 'request' });
    const command = await page.getAttribute('#copy-command', 'data-text');
    const printed = execFileSync('sh', ['-c', command.replace(/^steno/, `'${given.steno}'`)], { encoding: 'utf8' });
    assert.equal(await count(page, '#lines-total'), printed.split('\n').length - 1);
    assert.equal(Number((await page.textContent('#found')).split(' ')[0]), printed.split('\n').length - 1);
    assert.ok((await page.$$('#list mark')).length > 5);
    assert.equal(await page.textContent('#list mark >> nth=0'), 'request');
    await page.fill('#search', '');
    await page.click('.chip .remove');
    await answered(page, '#list', { q: null, where: null });
  },

  async 'all fields of a record, and its neighbours'(page) {
    const chosen = await selection(page);
    await page.fill('#search', 'slow request');
    await answered(page, '#list', { q: 'slow request' });
    await page.click('#row2');
    await page.waitForSelector('#record .neighbours li.open');
    const record = rows('cat', ...files, ...timed(chosen), '--grep', 'slow request')[2];
    const fields = Object.fromEntries(await page.$$eval('#record tbody tr', (trs) => trs.map((tr) => [tr.cells[0].textContent, tr.cells[1].textContent])));
    for (const [name, value] of Object.entries(record.args)) assert.equal(fields[name].split(' ')[0], String(value), name);
    assert.equal(fields.thread, record.thread);
    assert.equal(fields.format, record.format);
    assert.ok(fields.source.endsWith(`${record.file.split('/').pop()}:${record.line}`), fields.source);
    const process = rows('cat', ...files, '--columns', 'time,program,pid,thread,message').filter((r) => r.thread === record.thread);
    const me = process.findIndex((r) => r.time === record.time && r.message === record.message);
    const mine = process.filter((r) => r.pid === process[me].pid && r.program === process[me].program);
    const at = mine.indexOf(process[me]);
    const neighbours = await page.$$eval('#record .neighbours li', (lis) => lis.map((li) => [li.querySelector('span:last-child').textContent, li.classList.contains('open')]));
    const open = neighbours.findIndex(([, is]) => is);
    neighbours.forEach(([text], i) => assert.equal(text, mine[at - open + i].message));
    assert.ok(neighbours.length > 5);
    await page.keyboard.press('Escape');
    await page.waitForSelector('#record', { state: 'detached' });
    await page.fill('#search', '');
    await answered(page, '#list', { q: null });
  },

  async 'slowest first'(page) {
    const chosen = await selection(page);
    await page.click('text=slowest first');
    await page.selectOption('select[aria-label^=Quantity]', 'elapsed');
    await answered(page, '#list', { order: 'slowest', by: 'elapsed' });
    const messages = await page.$$eval('#list .row .message', (spans) => spans.slice(0, 15).map((s) => s.textContent));
    const values = rows('cat', ...files, ...timed(chosen), '--where', 'elapsed > 0').map((r) => r.args.elapsed).sort((a, b) => b - a);
    assert.deepEqual(messages.map((m) => Number(/took ([\d.]+)/.exec(m)[1])), values.slice(0, 15));
    await page.click('text=oldest first');
    await answered(page, '#list', { order: 'oldest' });
  },

  async 'break down by a field: counts, errors, quantiles'(page) {
    const chosen = await selection(page);
    await page.keyboard.press('2');
    for (const [by, field] of [['tenant', 'tenant'], ['logger', 'logger'], ['thread', 'thread'], ['statement', 'site'], ['level', 'level']]) {
      await page.selectOption('#by', by);
      await page.selectOption('#quantity', 'elapsed');
      await answered(page, '#breakdown', { by, quantity: 'elapsed', ...chosen });
      const per = (op, ...more) => new Map(rows('agg', ...files, ...timed(chosen), '--by', field, '--op', op, ...more).map((r) => [String(r[field]).split('/').pop(), r]));
      const counts = per('count');
      const errors = per('count', '--where', 'level >= ERROR');
      const quantiles = per('p50,p99', '--arg', 'elapsed');
      const table = await cells(page, '#breakdown');
      assert.equal(table.length, counts.size, `${by}: ${table.map((r) => r[0])} and ${[...counts.keys()]}`);
      for (const [name, records, , bad, p50, p99] of table) {
        const key = by === 'statement' ? name.split(' ').pop().split('/').pop() : name === '(empty)' ? '' : name;
        assert.equal(records, grouped(counts.get(key)?.count), `${by} ${name}`);
        assert.equal(bad.split(' ')[0], grouped(errors.get(key)?.count ?? 0), `${by} ${name}`);
        const q = quantiles.get(key);
        assert.equal(p50.split(' ')[0], q ? shown(q.p50) : '–', `${by} ${name}`);
        assert.equal(p99.split(' ')[0], q ? shown(q.p99) : '–', `${by} ${name}`);
      }
    }
    await page.selectOption('#by', 'tenant');
    await answered(page, '#breakdown', { by: 'tenant' });
    const [name] = (await cells(page, '#breakdown'))[1];
    await page.click(`#breakdown .name >> text="${name}"`);
    await answered(page, '#breakdown', { where: `tenant == "${name}"` });
    assert.equal(await count(page), rows('agg', ...files, ...timed(chosen), '--where', `tenant == "${name}"`, '--op', 'count')[0].count);
    await page.click('.chip .remove');
    await answered(page, '#breakdown', { where: null });
  },

  async 'the selection against the time before it'(page) {
    const chosen = await selection(page);
    await page.keyboard.press('3');
    await answered(page, '#compare', chosen);
    const path = new URLSearchParams((await page.getAttribute('#compare', 'data-path')).split('?')[1]);
    assert.equal(path.get('before_to'), chosen.from);
    assert.equal(BigInt(path.get('before_to')) - BigInt(path.get('before_from')), BigInt(chosen.to) - BigInt(chosen.from));
    const wanted = rows('diff', join(directory, '*.steno'), '--before', `${path.get('before_from')}..${chosen.from}`, '--after', `${chosen.from}..${chosen.to}`);
    const place = (d) => `${d.format} ${d.file}:${d.line}`;
    for (const what of ['new', 'gone']) {
      const table = (await cells(page, `#compare .${what}`)).map(([name, n]) => [name, n]);
      const from = wanted.filter((d) => d.what === what).map((d) => [place(d), grouped(what === 'new' ? d.records_after : d.records_before)]);
      assert.deepEqual(table.sort(), from.sort());
    }
    const changed = (await cells(page, '#compare .changed')).filter((row) => /:\d+$/.test(row[0]));
    const rates = wanted.filter((d) => d.what === 'rate');
    assert.ok(rates.length > 0);
    for (const d of rates) {
      const row = changed.find(([name]) => name === place(d));
      assert.ok(row, `${place(d)} is not in ${changed.map((r) => r[0])}`);
      assert.deepEqual(row.slice(1, 3), [grouped(d.records_before), grouped(d.records_after)]);
    }
  },

  async 'latency: each point, and a cell that leads to its records'(page) {
    const chosen = await selection(page);
    await page.keyboard.press('4');
    await page.selectOption('#field', 'elapsed');
    await answered(page, '#latency', { field: 'elapsed', ...chosen });
    const step = await page.getAttribute('#latency-lines', 'data-step');
    const wanted = rows('agg', ...files, ...timed(chosen), '--arg', 'elapsed', '--by', `time:${step}ns`, '--op', 'count,p50,p99,max').filter((r) => r.count > 0);
    const table = (await cells(page, '#latency-lines')).filter((row) => row[1] !== '0');
    assert.deepEqual(table, wanted.map((r) => [r.time.replace('T', ' '), ...['count', 'p50', 'p99', 'max'].map((n) => String(r[n]))]));
    // The keyboard moves up through the first column until a cell has records.
    await page.focus('#latency');
    await page.keyboard.press('ArrowRight');
    let label = '';
    for (let i = 0; i < 80; i++) {
      label = await page.getAttribute('#latency', 'aria-label');
      if (/: [1-9]\d* from /.test(label)) break;
      const before = label;
      await page.keyboard.press('ArrowUp');
      await page.waitForFunction((before) => document.querySelector('#latency').getAttribute('aria-label') !== before, before);
    }
    const n = Number(/: (\d+) from /.exec(label)[1]);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#list');
    const cell = await selection(page);
    const [where] = (await fragment(page)).getAll('where');
    await answered(page, '#list', { where, ...cell });
    assert.equal(await count(page, '#lines-total'), n);
    assert.equal(rows('cat', ...files, '--where', where, ...timed(cell)).length, n);
    await page.goBack();
    await page.waitForSelector('#latency');
    await answered(page, '#selected', { ...chosen, where: null });
  },

  async 'two quantities against each other'(page) {
    const chosen = await selection(page);
    await page.selectOption('#against', 'request_id');
    await answered(page, '#scatter', { x: 'request_id', y: 'elapsed', ...chosen });
    const wanted = rows('cat', ...files, ...timed(chosen), '--where', 'elapsed >= 0 and request_id >= 0');
    assert.equal(await count(page, '#scatter-count'), wanted.length);
    await page.focus('#scatter');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#record');
    const first = wanted.reduce((least, r) => (r.args.request_id < least.args.request_id ? r : least));
    assert.ok((await page.textContent('#record')).includes(`request_id${first.args.request_id}`));
    await page.click('#record .close');
    await page.selectOption('#against', '');
    await answered(page, '#latency', { field: 'elapsed' });
  },

  async 'exports are what the command prints'(page) {
    const chosen = await selection(page);
    for (const format of ['text', 'json', 'csv', 'logfmt']) {
      const href = await page.getAttribute(`.menu [data-as=${format}]`, 'href');
      const text = await page.evaluate(async (href) => (await fetch(href)).text(), href);
      const printed = steno('cat', ...files, ...timed(chosen), '--format', format);
      // The text of the export has the fields of context at the ends of its lines.
      assert.equal(format === 'text' ? text.replace(/ \[[\w=. -]*\]$/gm, '') : text, printed, format);
    }
  },

  async 'what is selected, as a log of its own'(page) {
    const chosen = await selection(page);
    const href = await page.getAttribute('.menu [data-as=steno]', 'href');
    const bytes = await page.evaluate(async (href) => [...new Uint8Array(await (await fetch(href)).arrayBuffer())], href);
    const part = join(given.work, 'part.steno');
    writeFileSync(part, Buffer.from(bytes));
    const texts = (...of) => rows('cat', ...of).map(lineOf).map(String).sort();
    assert.deepEqual(texts(part), texts(...files, ...timed(chosen)));
  },

  async 'pictures: the SVG shows what the PNG does'(page) {
    for (const tab of ['latency', 'lines']) {
      await page.click(`#tab-${tab}`);
      await answered(page, tab === 'lines' ? '#list' : '#latency', { where: null });
      await page.click('.menu summary');
      const saved = {};
      for (const as of ['PNG', 'SVG']) {
        const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.menu button:has-text("${as}")`)]);
        assert.equal(download.suggestedFilename(), `steno.${as.toLowerCase()}`);
        saved[as] = readFileSync(await download.path());
      }
      await page.click('.menu summary');
      const other = await page.context().newPage();
      const differ = await other.evaluate(async ({ png, svg }) => {
        const pixels = async (type, text) => {
          const image = new Image();
          image.src = `data:${type};base64,${text}`;
          await image.decode();
          const canvas = new OffscreenCanvas(image.width, image.height);
          const c = canvas.getContext('2d');
          c.drawImage(image, 0, 0);
          return { width: image.width, height: image.height, data: c.getImageData(0, 0, image.width, image.height).data };
        };
        const [a, b] = [await pixels('image/png', png), await pixels('image/svg+xml', svg)];
        if (a.width !== b.width || a.height !== b.height) return `${a.width} x ${a.height}, ${b.width} x ${b.height}`;
        // The PNG has no background: where it is transparent, whatever the SVG has is right.
        let differ = 0;
        let drawn = 0;
        for (let i = 0; i < a.data.length; i += 4) {
          if (a.data[i + 3] < 250) continue;
          ++drawn;
          differ += [0, 1, 2].some((k) => Math.abs(a.data[i + k] - b.data[i + k]) > 48) ? 1 : 0;
        }
        return drawn < 1000 ? 'nothing is drawn' : differ / drawn;
      }, { png: saved.PNG.toString('base64'), svg: saved.SVG.toString('base64') });
      await other.close();
      assert.ok(differ < 0.03, `${tab}: ${differ}`); // edges of texts and of bars between two pixels
    }
  },

  async 'threads: records, the last one, and the silence since'(page) {
    await page.keyboard.press('5');
    await page.focus('#timeline');
    await page.keyboard.press('Escape');
    await answered(page, '#threads', { from: null, where: null });
    const wanted = rows('agg', ...files, '--by', 'pid', '--by', 'host', '--by', 'thread', '--by', 'tid', '--op', 'count,last')
      .map((r) => [`${r.thread} ${r.tid}`, `${r.host === 'db1' ? 'store' : 'server'} ${r.pid} @${r.host}`, grouped(r.count), r.last.slice(11, 23)]);
    const table = (await cells(page, '#threads')).map(([thread, process, , records, last]) => [thread, process, records, last]);
    assert.deepEqual(table.sort(), wanted.sort());
  },

  async 'one request: all its records across hosts'(page) {
    await page.keyboard.press('6');
    await page.selectOption('#key', 'request_id');
    await page.fill('#value', '12');
    await page.press('#value', 'Enter');
    await answered(page, '#request', { key: 'request_id', value: '12' });
    const wanted = rows('cat', ...files, '--where', 'request_id == 12');
    const table = await cells(page, '#request .steps');
    assert.deepEqual(table.map((row) => [row[3], row[4]]), wanted.map((r) => [r.level, r.message]));
    assert.equal((await page.$$('#request .point')).length, wanted.length);
    // A clock that is ahead, put right by hand: the store's records move before the end of the request.
    await page.fill('label:has-text("db1") input', '-1.7s');
    await page.waitForFunction(() => !document.querySelector('#request .steps').textContent.includes('1.7 s'));
    const gap = nsOf(wanted[wanted.length - 1].time) - nsOf(wanted[0].time);
    assert.ok(gap > 1_700_000_000n);
    // The estimate shifts the clock, too, as commands do.
    await page.fill('label:has-text("db1") input', '');
    await page.click('#estimate');
    await page.waitForSelector('#estimated:has-text("pairs")');
    const [, host, added] = /--shift (\S+)=(-?\d+)ns/.exec(steno('clocks', ...files));
    const shown = await page.inputValue(`label:has-text("${host}") input`);
    assert.equal(BigInt(Math.round(Number(shown.replace('s', '')) * 1e9)), BigInt(added));
    const shifted = rows('cat', ...files, '--shift', 'auto', '--where', 'request_id == 12');
    const moved = (await cells(page, '#request .steps')).map((row) => [row[3], row[4]]);
    assert.deepEqual(moved, shifted.map((r) => [r.level, r.message]));
  },

  async 'the wheel zooms from an hour to nanoseconds; 0 leads back'(page) {
    await page.click('#tab-lines'); // keys belong to the field that was typed into
    const box = await page.locator('#timeline').boundingBox();
    await page.mouse.move(box.x + box.width * 0.4, box.y + box.height / 2);
    const length = async () => {
      const [from, to] = ((await fragment(page)).get('view') ?? '0..9000000000000000').split('..').map(BigInt);
      return to - from;
    };
    let before = await length();
    for (let i = 0; i < 80 && before > 1000n; i++) {
      await page.mouse.wheel(0, -600);
      await page.waitForFunction((before) => {
        const [from, to] = (new URLSearchParams(location.hash.slice(1)).get('view') ?? '0..9000000000000000').split('..').map(BigInt);
        return to - from < BigInt(before);
      }, String(before));
      before = await length();
    }
    assert.ok(before <= 1000n, `${before} ns`);
    const [from, to] = (await fragment(page)).get('view').split('..');
    await answered(page, '#selected', { from, to });
    assert.equal(await count(page), rows('cat', ...files, ...timed({ from, to })).length);
    await page.focus('#timeline');
    await page.keyboard.press('0');
    await answered(page, '#selected', { from: null });
    assert.equal(await count(page), total);
  },

  async 'the keyboard alone: select, change, zoom, read'(page) {
    await page.keyboard.press('t');
    await page.keyboard.press(' ');
    const first = await selection(page);
    await page.keyboard.press('Shift+ArrowRight');
    await page.waitForFunction((to) => !location.hash.includes(to), first.to);
    const second = await selection(page);
    assert.equal(second.from, first.from);
    assert.ok(BigInt(second.to) > BigInt(first.to));
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => location.hash.includes('view=') && !location.hash.includes('selection='));
    await answered(page, '#list', second);
    await page.keyboard.press('g');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#record');
    const line = rows('cat', ...files, ...timed(second))[1];
    assert.equal(await page.textContent('#record .message'), line.message);
    await page.keyboard.press('Escape');
    await page.waitForSelector('#record', { state: 'detached' });
  },
};

async function sizes(browser, url, where) {
  for (const [width, height] of [[1280, 720], [1920, 1080], [390, 844], [3840, 2160]]) {
    for (const colorScheme of width === 1280 || width === 390 ? ['light', 'dark'] : ['dark']) {
      const { page, check, close } = await open(browser, `${url}#tab=lines&${where}`, { viewport: { width, height }, colorScheme });
      for (const tab of ['lines', 'breakdown', 'compare', 'latency', 'threads', 'request']) {
        await page.click(`#tab-${tab}`);
        await page.waitForFunction(() => !document.querySelector('main .loading'));
        await checkLayout(page, `${tab} at ${width} x ${height}, ${colorScheme}`);
      }
      check();
      await close();
    }
  }
}

async function pictures(browser, url) {
  const time = 'selection=1795833000000000000..1795833600000000000'; // ten minutes from 02:30 on
  for (const [name, scheme, hash] of [
    ['web_lines', 'light', `${time}&where=level+%3E%3D+WARN`],
    ['web_breakdown', 'light', `tab=breakdown&by=tenant&quantity=elapsed&${time}`],
    ['web_latency', 'dark', 'tab=latency&field=elapsed'],
  ]) {
    const { page, close } = await open(browser, `${url}#${hash}`, { viewport: { width: 1120, height: 640 }, colorScheme: scheme });
    await page.waitForFunction(() => !document.querySelector('main .loading'));
    if (name === 'web_latency') await page.setViewportSize({ width: 1000, height: 540 });
    await page.waitForFunction(() => !document.querySelector('main .loading'));
    await page.screenshot({ path: join(given.shots, `${name}.png`) });
    await close();
  }
}

const browser = await launch();
const server = await serve(...files);
let failed = 0;
const step = async (name, run, page) => {
  if (given.only && !name.includes(given.only)) return;
  const begin = performance.now();
  try {
    await run();
    console.log(`ok ${name} (${Math.round(performance.now() - begin)} ms)`);
  } catch (error) {
    failed++;
    console.log(`not ok ${name}\n${error.stack}`);
    await page?.screenshot({ path: join(given.work, `${name.replace(/\W+/g, '_')}.png`) }).catch(() => undefined);
  }
};
try {
  const { page, check, close } = await open(browser, server.url);
  await page.waitForSelector('#list .row .message');
  const picture = await page.evaluate(() => performance.getEntriesByType('paint').map((p) => `${p.name} ${Math.round(p.startTime)} ms`).join(', '));
  console.log(`# ${picture}`);
  for (const [name, test] of Object.entries(tests)) {
    await step(name, async () => { await test(page); await checkLayout(page, name); check(); }, page);
    if (failed) break; // the tests lead from one to the next
  }
  if (!failed) await step('a link reproduces the view', async () => {
    const chosen = await drag(page, 0.6, 0.7);
    await page.fill('#where', 'level >= WARN');
    await page.press('#where', 'Enter');
    await answered(page, '#list', { where: 'level >= WARN', ...chosen });
    const other = await page.context().newPage();
    await other.goto(page.url());
    await ready(other);
    await answered(other, '#list', { where: 'level >= WARN', ...chosen });
    assert.equal(await count(other), await count(page));
    assert.equal(await other.textContent('#range'), await page.textContent('#range'));
    await other.close();
    if (given.shots) await pictures(browser, server.url);
  }, page);
  await close();
  await step('no size and no scheme breaks the layout', () => sizes(browser, server.url, ''));
} finally {
  await server.stop();
}
await step('a hostile log', () => testHostile(browser));
await step('threads and hosts that little tells apart', () => testContainers(browser));
await step('a damaged log is not complete', () => testDamage(browser));
await step('a log with drops is not complete', () => testDrops(browser));
if (given.program) await step('a live process: records, a level, its death', () => testLive(browser));
await browser.close();
if (failed) process.exit(1);
