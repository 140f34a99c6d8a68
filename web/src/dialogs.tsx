// Dialogs, which are not always on the screen: levels, processes and damage, keys.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { Line, Log, Verdict } from './api';
import { cut } from './lines';
import { formatCount } from './scale';
import { formatTime, parseNs } from './time';

export function Dialog({ title, onClose, children }: { title: string; onClose: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => { ref.current?.showModal(); }, []);
  return (
    <dialog ref={ref} aria-label={title} onClose={onClose} onClick={(e) => { if (e.target === ref.current) ref.current?.close(); }}>
      <header><h2>{title}</h2><button class="close" aria-label="Close" onClick={() => ref.current?.close()}>×</button></header>
      {children}
    </dialog>
  );
}

const KEYS: [string, string][] = [
  ['/', 'search'], ['f', 'add a condition'], ['1 … 6', 'lines, break down, compare, latency, threads, one request'],
  ['t', 'go to the time line'], ['g', 'go to the lines'],
  ['on the time line: ← →', 'move'], ['+ −', 'zoom'], ['space, then shift ← →, alt ← →', 'select; change its end; move it'],
  ['Enter', 'zoom to the selection'], ['Esc', 'clear the selection; close the record'], ['0', 'the whole log'],
  ['on the lines: ↑ ↓, Page, Home, End', 'move'], ['Enter', 'all fields of the line'],
  ['on the latencies: arrows, Enter', 'choose a cell; show its records'], ['l', 'follow the log'], ['?', 'this help'],
];

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table class="wide"><tbody>{KEYS.map(([k, text]) => <tr key={k + text}><th scope="row"><kbd>{k}</kbd></th><td>{text}</td></tr>)}</tbody></table>
      <p class="dim">With the mouse: drag on the time line to select, shift and a click select all from there on, double click to zoom to the selection, the wheel zooms.</p>
    </Dialog>
  );
}

const STATES: Record<string, string> = { running: '● running', ended: '■ ended', killed: '✖ died', unknown: '? unknown' };

type Checked = { verdict: Verdict | null; error: string };

// The answer of `steno verify` in a word; a click shows all of it.
export function VerdictButton({ verdict, error, onClick }: Checked & { onClick: () => void }) {
  const lost = verdict && verdict.lost > 0 ? `: ${verdict.exact ? '' : 'at least '}${formatCount(verdict.lost)} lost` : '';
  const text = verdict ? (verdict.complete ? '✓ complete' : `⚠ incomplete${lost}`) : error ? '? not checked' : '… checking';
  const look = verdict ? (verdict.complete ? 'good' : 'bad') : '';
  return <button class={`quiet ${look}`} id="complete" data-checked={verdict || error ? '1' : '0'} title={verdict?.text ?? error} onClick={onClick}>{text}</button>;
}

export function About({ log, checked, onClose }: { log: Log; checked: Checked; onClose: () => void }) {
  const { verdict, error } = checked;
  const gaps = verdict ? verdict.gaps : log.damage;
  return (
    <Dialog title="Processes and files" onClose={onClose}>
      <h3>Whether anything is missing</h3>
      <p id="verdict">{verdict ? cut(verdict.text, 1000) : error ? `The files could not be checked: ${error}` : 'The files are being checked…'}</p>
      {gaps.length > 0 && <ul class="damage">{gaps.map((d, i) => <li key={i}>{cut(d, 500)}</li>)}</ul>}
      {verdict != null && verdict.more > 0 && <p>and {formatCount(verdict.more)} more of this kind: <code>steno verify</code> shows all</p>}
      <h3>Processes</h3>
      <table class="wide" id="sessions">
        <thead><tr><th scope="col">program</th><th scope="col">process</th><th scope="col">host</th><th scope="col">state</th><th scope="col">first record</th><th scope="col">last record</th></tr></thead>
        <tbody>{log.sessions.map((s, i) => (
          <tr key={i} class={s.state}><td>{cut(s.program, 100)}</td><td>{s.pid}</td><td>{cut(s.host, 100)}</td><td>{STATES[s.state] ?? s.state}</td>
            <td>{formatTime(parseNs(s.first) ?? 0n, 3)}</td><td>{formatTime(parseNs(s.last) ?? 0n, 3)}</td></tr>
        ))}</tbody>
      </table>
      <h3>Files</h3>
      <table class="wide"><tbody>{log.files.map((f, i) => <tr key={i}><td>{cut(f.path, 300)}</td><td class="number">{formatCount(f.records)} records</td><td class="number">{formatCount(f.bytes)} bytes</td></tr>)}</tbody></table>
      <p class="dim">steno {log.version}</p>
    </Dialog>
  );
}

// The session of a record, which its id begins with.
export function sessionOf(line: Line): string {
  return String(line.id).split('-')[0];
}

// Switches levels of running processes. `line`: begin with the statement of this record.
export function Levels({ log, line, onClose }: { log: Log; line: Line | null; onClose: () => void }) {
  const running = log.sessions.filter((s) => s.state === 'running');
  // The statement is that of the record's own process: another one is switched only if it is chosen.
  const own = line && sessionOf(line);
  const gone = own != null && !running.some((s) => s.id === own);
  const [session, setSession] = useState(own == null ? running[0]?.id ?? '' : gone ? '' : own);
  const [what, setWhat] = useState(line ? 'site' : 'all');
  const [logger, setLogger] = useState(log.loggers[0] ?? '');
  const [level, setLevel] = useState('DEBUG');
  const [answer, setAnswer] = useState<{ text: string; wrong: boolean } | null>(null);
  const send = async () => {
    setAnswer(null);
    const body: Record<string, string> = { session, level };
    if (what === 'logger') body.logger = logger;
    if (what === 'site' && line) body.site = line.site;
    try {
      const reply = await fetch('/api/level', { method: 'POST', body: new URLSearchParams(body) });
      const text = reply.ok ? `${what === 'logger' ? logger : what === 'site' ? line?.site : 'All statements'}: ${level} from now on` : ((await reply.json()) as { error: string }).error;
      setAnswer({ text, wrong: !reply.ok });
    } catch (error) {
      setAnswer({ text: String(error), wrong: true });
    }
  };
  return (
    <Dialog title="Levels of running processes" onClose={onClose}>
      {gone && <p class="error" role="alert" id="gone">The process of this record, {cut(line!.program, 60)} {line!.pid} on {cut(line!.host, 60)}, does not run: its levels cannot be switched.</p>}
      {running.length === 0 ? <p class="empty">No process of this log is running.</p> : (
        <form class="form" id="levels" onSubmit={(e) => { e.preventDefault(); void send(); }}>
          <label>process <select name="session" value={session} required onChange={(e) => setSession(e.currentTarget.value)}>
            {gone && <option value="">choose another one</option>}
            {running.map((s) => <option key={s.id} value={s.id}>{cut(s.program, 60)} {s.pid} on {cut(s.host, 60)}</option>)}</select></label>
          <label>what <select name="what" value={what} onChange={(e) => setWhat(e.currentTarget.value)}>
            <option value="all">all statements</option>
            <option value="logger">a logger</option>
            {line && <option value="site">the statement {line.site}</option>}</select></label>
          {what === 'logger' && <label>logger <input name="logger" list="loggers" value={logger} required onInput={(e) => setLogger(e.currentTarget.value)} /><datalist id="loggers">{log.loggers.map((l) => <option key={l} value={l} />)}</datalist></label>}
          <label>level <select name="level" value={level} onChange={(e) => setLevel(e.currentTarget.value)}>{[...log.levels.filter((l) => l !== '?'), 'OFF', 'inherit'].map((l) => <option key={l}>{l}</option>)}</select></label>
          <button class="primary">switch</button>
          {answer && <p role="status" class={answer.wrong ? 'error' : 'done'}>{answer.text}</p>}
        </form>
      )}
    </Dialog>
  );
}
