// The parts of the page that compute: times, scales, fragments, filters, the window of the list. Run by node --test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask } from '../../web/src/api';
import { beforeOf, halves, ratioText } from '../../web/src/compare';
import { commandOf } from '../../web/src/filters';
import { Pages, visibleRows } from '../../web/src/pages';
import { axisOf } from '../../web/src/scatter';
import { formatShift, nest, parseShift } from '../../web/src/request';
import { Scroll, Segments, segmentsOf } from '../../web/src/segments';
import { bucketOf, formatCount, formatPercent, formatShort, formatValue, LogScale, niceTicks } from '../../web/src/scale';
import { SvgPicture } from '../../web/src/svg';
import { formatFragment, INITIAL, parseFragment, type State } from '../../web/src/state';
import { clamp, formatDuration, formatTime, fractionOf, parseNs, timeAt, timeTicks, zoom } from '../../web/src/time';
import { groupMarks, stack } from '../../web/src/timeline';
import { between, equals, joinFilters, quote, shellQuote } from '../../web/src/where';

// These give equal numbers in each run.
function generator(seed: number): (below: number) => number {
  let state = BigInt(seed) * 2862933555777941757n + 3037000493n;
  return (below) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number((state >> 33n) % BigInt(below));
  };
}
const bigRandom = (random: (below: number) => number) => BigInt(random(2 ** 30)) * 2n ** 30n + BigInt(random(2 ** 30));

test('times before and after 1970, to the nanosecond', () => {
  assert.equal(formatTime(0n), '1970-01-01 00:00:00.000000000Z');
  assert.equal(formatTime(-1n), '1969-12-31 23:59:59.999999999Z');
  assert.equal(formatTime(1795831200123456789n), '2026-11-28 02:00:00.123456789Z');
  assert.equal(formatTime(-9223372036854775808n), '1677-09-21 00:12:43.145224192Z');
  assert.equal(formatTime(9223372036854775807n, 3), '2262-04-11 23:47:16.854Z');
  const random = generator(1);
  for (let i = 0; i < 500; i++) {
    const ns = bigRandom(random) * (random(2) ? 1n : -1n);
    const text = formatTime(ns);
    const ms = Date.parse(text.slice(0, 23).replace(' ', 'T') + 'Z'); // the inverse, by other means
    assert.equal(BigInt(ms) * 1_000_000n + BigInt(text.slice(23, 29)), ns, text);
  }
});

test('times that are no numbers are refused', () => {
  assert.equal(parseNs('-12'), -12n);
  for (const text of ['', '1.5', '0x10', '1e9', ' 1', '12345678901234567890', null, undefined]) assert.equal(parseNs(text), null);
});

test('durations have a unit, and are 0 only for 0', () => {
  const texts: [bigint, string][] = [[0n, '0 ns'], [999n, '999 ns'], [1_000n, '1 us'], [1_500_000n, '1.5 ms'], [999_999_999n, '1000 ms'],
    [1_000_000_000n, '1 s'], [61_000_000_000n, '1.02 min'], [3_600_000_000_000n, '1 h'], [90_000_000_000_000n, '1.04 d'], [-1_500n, '-1.5 us'],
    [1_700_000_000n, '1.7 s'], [864_000_000_000_000_000n * 10n, '100000 d']];
  for (const [ns, text] of texts) assert.equal(formatDuration(ns), text);
});

test('ticks are inside the range, equally far from each other, and no two have one text', () => {
  const random = generator(2);
  for (let i = 0; i < 400; i++) {
    const from = bigRandom(random) * (random(4) ? 1n : -1n);
    const range = { from, to: from + 10n + (bigRandom(random) >> BigInt(random(58))) };
    const most = 2 + random(14);
    const ticks = timeTicks(range, most);
    assert.ok(ticks.length <= most + 1, `${ticks.length} > ${most}`);
    for (const tick of ticks) assert.ok(tick.at >= range.from && tick.at < range.to);
    for (let k = 2; k < ticks.length; k++) assert.equal(ticks[k].at - ticks[k - 1].at, ticks[1].at - ticks[0].at);
    if (range.to - range.from < 86_400_000_000_000n) assert.equal(new Set(ticks.map((t) => t.text)).size, ticks.length);
  }
  assert.deepEqual(timeTicks({ from: 5n, to: 5n }, 10), []);
});

test('a place on the screen and its time belong together', () => {
  const range = { from: -5_000_000_000n, to: 1795831200123456789n };
  for (const f of [0, 0.1, 0.5, 0.999, 1]) assert.ok(Math.abs(fractionOf(range, timeAt(range, f)) - f) < 1e-9);
  assert.equal(timeAt(range, 0), range.from);
  assert.equal(timeAt(range, 1), range.to);
  assert.equal(timeAt({ from: 10n, to: 20n }, 0.5), 15n);
});

test('zoom keeps what is under the pointer, and stays inside the log', () => {
  const random = generator(3);
  const limits = { from: 1_000_000_000_000n, to: 1_000_000_000_000n + 86_400_000_000_000n };
  let range = limits;
  for (let i = 0; i < 2000; i++) {
    const f = random(1001) / 1000;
    const fixed = timeAt(range, f);
    const next = zoom(range, f, 0.3 + random(200) / 100, limits);
    assert.ok(next.from >= limits.from && next.to <= limits.to && next.to - next.from >= 10n);
    const inner = next.from > limits.from && next.to < limits.to;
    if (inner) assert.ok(Math.abs(fractionOf(next, fixed) - f) < 0.2, 'the point has moved');
    range = next;
  }
  assert.deepEqual(zoom(limits, 0.5, 2, limits), limits);
  for (let i = 0; i < 200; i++) range = zoom(range, 0.5, 0.5, limits);
  assert.equal(range.to - range.from, 10n); // from days to nanoseconds
  assert.deepEqual(clamp({ from: 0n, to: 10n }, { from: 5n, to: 100n }), { from: 5n, to: 15n });
  assert.deepEqual(clamp({ from: 95n, to: 105n }, { from: 5n, to: 100n }), { from: 90n, to: 100n });
});

test('a fragment reproduces the state', () => {
  const random = generator(4);
  const pick = <T>(items: readonly T[]) => items[random(items.length)];
  const words = ['', 'a', 'x=1&y=2', '#%20+', 'level >= WARN and tenant == "acme"', '<b>', 'ünï\u0000', '..', '\n'];
  const range = () => (random(3) ? { from: BigInt(random(1e9)) - 500_000_000n, to: BigInt(random(1e9)) + 600_000_000n } : null);
  for (let i = 0; i < 500; i++) {
    const state: State = {
      tab: pick(['lines', 'breakdown', 'compare', 'latency', 'threads', 'request'] as const), view: range(), selection: range(), before: range(),
      last: random(2) ? BigInt(1 + random(1e9)) : null, filters: [0, 1, 2].slice(random(4)).map(() => pick(words.filter((w) => w))), q: pick(words),
      order: pick(['newest', 'oldest', 'slowest'] as const), by: pick(words), quantity: pick(words), field: pick(words), against: pick(words), key: pick(words), value: pick(words),
      open: pick(words), live: random(2) === 1,
    };
    assert.deepEqual(parseFragment('#' + formatFragment(state)), state);
  }
  assert.equal(formatFragment(INITIAL), '');
  assert.deepEqual(parseFragment(''), INITIAL);
});

test('fragments that make no sense are the beginning', () => {
  for (const text of ['#tab=evil&order=1', '#view=5..1', '#view=1', '#view=a..b', '#view=1..2..3', '#last=-1', '#selection=', '#where=', '#%']) {
    assert.deepEqual(parseFragment(text), INITIAL, text);
  }
});

test('conditions are quoted for the expression and for the shell', () => {
  assert.equal(equals('tenant', 'ac"me\\'), 'tenant == "ac\\"me\\\\"');
  assert.equal(equals('level', 'WARN'), 'level == WARN');
  assert.equal(equals('thread', 'worker-1', undefined, true), 'thread != "worker-1"');
  assert.equal(equals('thread', 'x', true), '{thread} == "x"'); // an argument that is named like a field
  assert.equal(equals('not', 5), '{not} == 5');
  assert.equal(equals('a b', true), '{a b} == true');
  assert.equal(equals('0', 5), '{0} == 5');
  assert.equal(between('took', 1, 2.5, 'ms'), 'took >= 1ms and took < 2.5ms');
  assert.equal(joinFilters([]), '');
  assert.equal(joinFilters(['a == 1 or b == 2']), 'a == 1 or b == 2');
  assert.equal(joinFilters(['a == 1 or b == 2', 'c == "x or y"']), '(a == 1 or b == 2) and c == "x or y"');
  assert.equal(quote('a\nb\tc'), '"a\\nb\\tc"');
  assert.equal(shellQuote("it's"), "'it'\\''s'");
  assert.equal(commandOf(['a.steno', 'b c.steno'], ['x == 1'], 'a.b', { from: 0n, to: 1n }),
    "steno cat a.steno 'b c.steno' --since 1970-01-01T00:00:00.000000000Z --until 1970-01-01T00:00:00.000000001Z --where 'x == 1' --grep '\\Qa.b\\E'");
});

test('numbers', () => {
  assert.equal(formatCount(1234567), '1,234,567');
  assert.equal(formatCount(123), '123');
  assert.equal(formatShort(12345), '12.3k');
  assert.equal(formatPercent(1, 3), '33 %');
  assert.equal(formatPercent(1, 100000), '< 0.1 %');
  assert.equal(formatPercent(0, 0), '0 %');
  assert.equal(formatValue(375, 'ms'), '375 ms');
  assert.equal(formatValue(0.1 + 0.2), '0.3');
  assert.equal(formatValue(null), '–');
  assert.equal(formatValue('nan'), 'nan');
  assert.equal(formatValue(1e20), '1.000e+20');
  assert.equal(ratioText(10, 30, null), '× 3');
  assert.equal(ratioText(30, 10, 1 / 3), '÷ 3');
  assert.equal(ratioText(0, 10, null), 'new');
});

test('linear ticks are round and end at the maximum or below', () => {
  for (const max of [0.003, 1, 7, 99, 12345, 1e12]) {
    const ticks = niceTicks(max, 4);
    assert.equal(ticks[0], 0);
    assert.ok(ticks.length >= 2 && ticks.length <= 5, `${max}: ${ticks}`);
    assert.ok(ticks[ticks.length - 1] <= max * (1 + 1e-9));
  }
  assert.deepEqual(niceTicks(0, 3), [0]);
  assert.deepEqual(niceTicks(NaN, 3), [0]);
});

test('a logarithmic scale: value and place, ticks, buckets', () => {
  const scale = new LogScale(0.1, 1000);
  for (const v of [0.1, 1, 3.7, 999]) assert.ok(Math.abs(scale.value(scale.at(v)) / v - 1) < 1e-9);
  for (const v of [0, -5, NaN]) assert.equal(scale.at(v), 0);
  assert.equal(scale.at(1e9), 1);
  assert.deepEqual(scale.ticks(5), [0.1, 1, 10, 100, 1000]);
  assert.ok(new LogScale(1e-9, 1e9).ticks(4).length <= 7);
  assert.deepEqual([0.5, 1, 9.9, 10, 99, 100].map((v) => bucketOf([1, 10, 100], v)), [-1, 0, 0, 1, 1, -1]);
});

test('levels are stacked, the worst at the bottom and never invisible', () => {
  const levels = ['DEBUG', 'INFO', 'WARN', 'ERROR'];
  const parts = stack([1_000_000, 0, 1, 1], levels, 100, 1_000_002);
  assert.deepEqual(parts.map((p) => p.level), ['ERROR', 'WARN', 'DEBUG']);
  assert.ok(parts[0].height >= 2 && parts[1].height >= 2);
  assert.ok(parts.reduce((sum, p) => sum + p.height, 0) <= 100);
  assert.deepEqual(stack([0, 0, 0, 0], levels, 100, 1), []);
});

test('marks that would cover each other are one, the worst first', () => {
  const mark = (time: number, kind: string) => ({ time: String(time), kind, text: '' });
  const groups = groupMarks([mark(0, 'start'), mark(1, 'end'), mark(2, 'death'), mark(500, 'drop'), mark(501, 'damage'), mark(502, 'death'), mark(2000, 'drop')], { from: 0n, to: 1000n }, 1400);
  assert.deepEqual(groups.map((g) => g.map((m) => m.kind)), [['death', 'start', 'end'], ['death', 'damage', 'drop']]);
});

test('an axis is logarithmic where that shows more, and keeps all values on the screen', () => {
  for (const values of [[1, 10, 1000], [0, 5, 7], [-3, 4], [5], [], [0.001, 1e9], [3, 4, 5]]) {
    const axis = axisOf(values);
    for (const v of values) assert.ok(axis.at(v) >= 0 && axis.at(v) <= 1, `${v} of ${values} is at ${axis.at(v)}`);
    for (const t of axis.ticks(5)) assert.ok(axis.at(t) >= -1e-9 && axis.at(t) <= 1 + 1e-9, `tick ${t} of ${values}`);
  }
  assert.equal(axisOf([1, 10, 1000]).at(1000 ** 0.5), 0.5);
});

test('the time before a selection', () => {
  const whole = { from: 0n, to: 100n };
  assert.deepEqual(beforeOf({ from: 50n, to: 60n }, whole), { from: 40n, to: 50n });
  assert.deepEqual(beforeOf({ from: 5n, to: 60n }, whole), { from: 0n, to: 5n });
  assert.equal(beforeOf({ from: 0n, to: 60n }, whole), null);
  assert.deepEqual(halves({ from: 0n, to: 10n }), { before: { from: 0n, to: 5n }, after: { from: 5n, to: 10n } });
});

test('rows that are seen', () => {
  assert.deepEqual(visibleRows(0, 240, 24, 1000, 0), { first: 0, last: 10 });
  assert.deepEqual(visibleRows(2400, 240, 24, 1000, 5), { first: 95, last: 115 });
  assert.deepEqual(visibleRows(1e9, 240, 24, 10), { first: 10, last: 10 });
  assert.deepEqual(visibleRows(0, 240, 24, 0), { first: 0, last: 0 });
});

// However one scrolls: each row is the right one, and few are kept.
test('the list by pages, against an array', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = generator(100 + seed);
    const n = random(5000);
    const all = Array.from({ length: n }, (_, i) => i);
    const server = (cursor: string | null) => {
      const at = cursor == null ? 0 : Number(cursor);
      const size = 40 + random(160); // pages of a server may be shorter than asked for
      return { lines: all.slice(at, at + size), next: at + size < n ? String(at + size) : null };
    };
    const answers = new Map<string, ReturnType<typeof server>>(); // of one cursor always the same
    const pages = new Pages<number>(6);
    for (let step = 0; step < 300; step++) {
      const first = random(Math.max(1, pages.rows));
      const last = Math.min(pages.rows, first + 1 + random(60));
      for (let wanted; (wanted = pages.wanted(first, last, 50)); ) {
        const key = String(wanted.cursor);
        if (!answers.has(key)) answers.set(key, server(wanted.cursor));
        const answer = answers.get(key)!;
        pages.put(wanted.page, answer.lines, answer.next);
      }
      for (let i = first; i < last; i++) {
        const row = pages.row(i);
        assert.equal(row, i);
      }
      assert.ok(pages.kept <= 6);
    }
    let more;
    while ((more = pages.wanted(pages.rows, pages.rows, 1))) {
      const answer = answers.get(String(more.cursor)) ?? server(more.cursor);
      pages.put(more.page, answer.lines, answer.next);
    }
    assert.equal(pages.rows, n);
    assert.ok(pages.complete);
  }
});

// Any place can be shown at once, whatever was shown before.
test('the list by stretches of time, against an array', () => {
  for (let seed = 0; seed < 20; seed++) {
    const random = generator(200 + seed);
    const steps = Array.from({ length: 1 + random(200) }, () => (random(3) ? random(seed % 2 ? 20 : 3000) : 0));
    const all: { time: bigint; n: number }[] = [];
    steps.forEach((count, i) => { for (let k = 0; k < count; k++) all.push({ time: BigInt(i) * 10n + BigInt(Math.floor((10 * k) / count)), n: all.length }); });
    const within = { from: 0n, to: BigInt(steps.length) * 10n };
    const segments = segmentsOf(0n, 10n, steps, within);
    const newest = random(2) === 1;
    if (newest) segments.reverse();
    const order = newest ? all.toReversed() : all;
    const list = new Segments<{ n: number }>(segments);
    assert.equal(list.rows, all.length);
    let asked = 0;
    for (let step = 0; step < 60 && all.length > 0; step++) {
      const first = random(all.length);
      const last = Math.min(all.length, first + 1 + random(100));
      for (let wanted; (wanted = list.wanted(first, last)); asked++) {
        const stretch = order.filter((r) => r.time >= wanted!.range!.from && r.time < wanted!.range!.to);
        const at = Number(wanted.cursor ?? 0);
        list.put(wanted, stretch.slice(at, at + 200), at + 200 < stretch.length ? String(at + 200) : null);
        assert.ok(asked < 60 * 40, 'asks without end');
      }
      for (let i = first; i < last; i++) assert.equal(list.row(i)?.n, order[i].n);
    }
    assert.equal(list.row(all.length), undefined);
    assert.equal(list.row(-1), undefined);
  }
});

test('a scroll bar leads to the first and to the last row, however many there are', () => {
  for (const rows of [1, 10, 1000, 10_000_000, 4_000_000_000]) {
    const scroll = new Scroll(rows, 24, 600);
    assert.ok(scroll.pixels <= 15_000_000);
    assert.equal(scroll.rowAt(0), 0);
    assert.ok(Math.abs(scroll.rowAt(Math.max(0, scroll.pixels - 600)) - Math.max(0, rows - 25)) < 1e-6);
    for (const part of [0, 0.3, 1]) {
      const row = part * Math.max(0, rows - 25);
      assert.ok(Math.abs(scroll.rowAt(scroll.topOf(row)) - row) <= rows * 1e-9);
    }
    if (!scroll.isScaled && rows > 25) assert.ok(Math.abs(scroll.rowAt(240) - 10) < 1e-9);
  }
});

test('spans are nested; lost parents and circles do no harm', () => {
  const span = (id: string, parent: string | null, begin: number) => ({ id, parent, name: id, begin: String(begin), end: null, program: '', host: '', thread: '' });
  const nested = nest([span('c', 'b', 3), span('a', null, 1), span('b', 'a', 2), span('lost', 'gone', 5), span('x', 'y', 6), span('y', 'x', 7), span('self', 'self', 9)]);
  assert.deepEqual(nested.map((n) => [n.span.id, n.depth]), [['a', 0], ['b', 1], ['c', 2], ['lost', 0], ['self', 0], ['x', 0], ['y', 1]]);
});

test('a shift as people write it', () => {
  const texts: [string, bigint | null][] = [['-1.7s', -1_700_000_000n], ['+300 ms', 300_000_000n], ['', 0n], ['0', 0n], ['1h', 3_600_000_000_000n], ['soon', null], ['5', null]];
  for (const [text, ns] of texts) assert.equal(parseShift(text), ns);
  assert.equal(formatShift(-1_700_050_000n), '-1.70005s');
  for (const ns of [0n, 1n, -1n, 1_000_000_000n, -1_700_000_507n, 86_400_000_000_001n]) assert.equal(parseShift(formatShift(ns)), ns);
});

test('only a server that is busy, and says when to come again, is asked again', async () => {
  const real = globalThis.fetch;
  let asked = 0;
  const answers = (...list: [number, Record<string, string>][]) => {
    asked = 0;
    globalThis.fetch = (() => {
      const [status, headers] = list[Math.min(asked++, list.length - 1)];
      return Promise.resolve(new Response(JSON.stringify(status === 200 ? { fine: true } : { error: `said ${status}` }), { status, headers }));
    }) as typeof fetch;
  };
  try {
    answers([503, { 'Retry-After': '0' }], [200, {}]);
    assert.deepEqual(await ask('/api/log'), { fine: true });
    assert.equal(asked, 2);
    for (const status of [400, 404, 500, 503, 504, 507]) {
      answers([status, status === 503 ? {} : { 'Retry-After': '0' }], [200, {}]);
      await assert.rejects(ask('/api/log'), new RegExp(`said ${status}`));
      assert.equal(asked, 1, `asked again after ${status}`);
    }
  } finally {
    globalThis.fetch = real;
  }
});

test('the copied command has what the server was started with', () => {
  assert.equal(commandOf(['a.steno'], [], '', null, { shifts: ['db1=-1.7s', 'a b=1s'], secrets: true }),
    "steno cat a.steno --shift db1=-1.7s --shift 'a b=1s' --show-secrets");
  assert.equal(commandOf(['a.steno'], [], '', null, { shifts: [], secrets: false }), 'steno cat a.steno');
});

test('a picture as SVG: what is drawn, and texts that cannot be markup', () => {
  const picture = new SvgPicture(100, 50, {} as CanvasRenderingContext2D);
  picture.fillStyle = '#f00';
  picture.globalAlpha = 0.5;
  picture.fillRect(1, 2, 3.14159, 4);
  picture.fillRect(1, 2, 0, 4);
  picture.globalAlpha = 1;
  picture.textAlign = 'right';
  picture.textBaseline = 'middle';
  picture.font = '10px sans-serif';
  picture.fillText('</text><script>"a"&\u0000\ud800🙂', 9, 20);
  picture.beginPath();
  picture.lineTo(0, 1);
  picture.lineTo(2, 3);
  picture.setLineDash([2, 1]);
  picture.stroke();
  const lines = picture.toString('"white"').split('\n');
  assert.deepEqual(lines.slice(0, -1), [
    '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50">',
    '<rect width="100%" height="100%" fill="&#34;white&#34;"/>',
    '<rect x="1" y="2" width="3.14" height="4" fill="#f00" opacity="0.5"/>',
    '<text x="9" y="23.5" text-anchor="end" font-size="10" font-family="sans-serif" fill="#f00">&#60;/text&#62;&#60;script&#62;&#34;a&#34;&#38;\ufffd\ufffd🙂</text>',
    '<path d="M0 1L2 3" fill="none" stroke="#000" stroke-width="1" stroke-dasharray="2 1"/>',
    '</svg>',
  ]);
});
