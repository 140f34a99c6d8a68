// The search, and the conditions, whose text can be taken to a shell.
import { useEffect, useRef, useState } from 'preact/hooks';
import { cut } from './lines';
import { formatTime, type Range } from './time';
import { joinFilters, shellQuote } from './where';

// Options that the server was started with, if they change what records say.
export type Options = { shifts?: string[]; secrets?: boolean };

// The command that prints what the page shows.
export function commandOf(files: string[], filters: string[], q: string, range: Range | null, options: Options = {}): string {
  const word = (text: string) => (/^[\w./+:@%=-]+$/.test(text) ? text : shellQuote(text));
  const words = ['steno cat', ...files.map(word), ...(options.shifts ?? []).map((shift) => `--shift ${word(shift)}`)];
  if (options.secrets) words.push('--show-secrets');
  const iso = (ns: bigint) => formatTime(ns).replace(' ', 'T');
  if (range) words.push(`--since ${iso(range.from)} --until ${iso(range.to)}`);
  if (filters.length) words.push(`--where ${shellQuote(joinFilters(filters))}`);
  if (q) words.push(`--grep ${shellQuote(/^[\w ]*$/.test(q) ? q : `\\Q${q}\\E`)}`);
  return words.join(' ');
}

export function Filters(props: {
  filters: string[]; q: string; files: string[]; options: Options; range: Range | null; error: string; found: number | null;
  onFilters: (filters: string[]) => void; onSearch: (q: string) => void;
}) {
  const { filters } = props;
  const [draft, setDraft] = useState('');
  const [q, setQ] = useState(props.q);
  const [said, setSaid] = useState('');
  const timer = useRef(0);
  useEffect(() => setQ(props.q), [props.q]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (text: string) => {
    setQ(text);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => props.onSearch(text), 150);
  };
  const copy = (text: string, name: string) => {
    navigator.clipboard?.writeText(text).then(() => setSaid(`${name} copied`), () => setSaid('the browser does not let pages copy here'));
    window.setTimeout(() => setSaid(''), 2500);
  };
  const command = commandOf(props.files, filters, props.q, props.range, props.options);
  const where = `--where ${shellQuote(joinFilters(filters))}`;
  return (
    <div class="filters" role="search">
      <input id="search" type="search" placeholder="Search messages  /" aria-label="Search messages" value={q} onInput={(e) => type(e.currentTarget.value)}
        onKeyDown={(e) => { if (e.key === 'Escape') { type(''); e.currentTarget.blur(); } if (e.key === 'Enter') { clearTimeout(timer.current); props.onSearch(q); } e.stopPropagation(); }} />
      {props.q && props.found != null && <span class="count" id="found">{props.found} found</span>}
      {filters.map((filter, i) => (
        <span class="chip" key={i}>
          <button class="text" title="Edit" onClick={() => { setDraft(filter); props.onFilters(filters.filter((_, k) => k !== i)); document.getElementById('where')?.focus(); }}>{cut(filter, 160)}</button>
          <button class="remove" aria-label={`Remove ${cut(filter, 160)}`} onClick={() => props.onFilters(filters.filter((_, k) => k !== i))}>×</button>
        </span>
      ))}
      <form onSubmit={(e) => { e.preventDefault(); const text = draft.trim(); if (text) { props.onFilters([...filters, text]); setDraft(''); } }}>
        <input id="where" placeholder={'Condition, e.g. level >= WARN  f'} aria-label="Add a condition, as --where takes it" value={draft} onInput={(e) => setDraft(e.currentTarget.value)}
          onKeyDown={(e) => { if (e.key === 'Escape') e.currentTarget.blur(); e.stopPropagation(); }} />
      </form>
      {filters.length > 0 && <button class="quiet" id="copy-where" title={where} data-text={where} onClick={() => copy(where, '--where')}>copy --where</button>}
      <button class="quiet" id="copy-command" title={cut(command, 1000)} data-text={command} onClick={() => copy(command, 'command')}>copy command</button>
      <span role="status" class="dim">{said}</span>
      {props.error && <p class="error" role="alert" id="filter-error">{props.error}</p>}
    </div>
  );
}
