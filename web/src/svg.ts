// A picture that is drawn as a canvas is, and kept as SVG: with texts that are texts, and sharp at any size. It has what
// the plots of this page use.
// Characters that XML cannot hold, as U+FFFD: control characters, halves of pairs, two that are none.
function escape(text: string): string {
  let out = '';
  for (const c of text) {
    const code = c.codePointAt(0)!;
    if ((code < 0x20 && code !== 9 && code !== 10 && code !== 13) || (code >= 0xd800 && code < 0xe000) || code === 0xfffe || code === 0xffff) out += '\ufffd';
    else out += '&<>"'.includes(c) ? `&#${code};` : c;
  }
  return out;
}
const number = (n: number) => String(Math.round(n * 100) / 100);

const ANCHORS: Record<string, string> = { left: 'start', start: 'start', center: 'middle', right: 'end', end: 'end' };
// How far below its place the line of a text is, in sizes of its font.
const SHIFTS: Record<string, number> = { top: 0.8, hanging: 0.8, middle: 0.35, alphabetic: 0, bottom: -0.2 };

export class SvgPicture {
  fillStyle = '#000';
  strokeStyle = '#000';
  lineWidth = 1;
  globalAlpha = 1;
  font = '13px system-ui, sans-serif';
  textAlign = 'start';
  textBaseline = 'alphabetic';
  private parts: string[] = [];
  private path = '';
  private dashes: number[] = [];

  // `measure` has the widths of texts.
  constructor(private readonly width: number, private readonly height: number, private readonly measure: CanvasRenderingContext2D) {}

  clearRect() { /* nothing is drawn there yet */ }

  fillRect(x: number, y: number, w: number, h: number) {
    if (w > 0 && h > 0) this.parts.push(`<rect ${this.box(x, y, w, h)} ${this.filled()}/>`);
  }

  strokeRect(x: number, y: number, w: number, h: number) {
    this.parts.push(`<rect ${this.box(x, y, w, h)} ${this.stroked()}/>`);
  }

  beginPath() { this.path = ''; }
  moveTo(x: number, y: number) { this.path += `M${number(x)} ${number(y)}`; }
  lineTo(x: number, y: number) { this.path += `${this.path ? 'L' : 'M'}${number(x)} ${number(y)}`; }
  stroke() { if (this.path) this.parts.push(`<path d="${this.path}" ${this.stroked()}/>`); }
  setLineDash(dashes: number[]) { this.dashes = dashes; }

  fillText(text: string, x: number, y: number) { this.text(text, x, y, this.filled()); }
  strokeText(text: string, x: number, y: number) { this.text(text, x, y, this.stroked() + ' stroke-linejoin="round"'); }

  measureText(text: string): TextMetrics {
    this.measure.font = this.font;
    return this.measure.measureText(text);
  }

  toString(background: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${number(this.width)}" height="${number(this.height)}" viewBox="0 0 ${number(this.width)} ${number(this.height)}">\n` +
      `<rect width="100%" height="100%" fill="${escape(background)}"/>\n${this.parts.join('\n')}\n</svg>\n`;
  }

  private box(x: number, y: number, w: number, h: number): string {
    return `x="${number(x)}" y="${number(y)}" width="${number(w)}" height="${number(h)}"`;
  }
  private alpha(): string { return this.globalAlpha < 1 ? ` opacity="${number(this.globalAlpha)}"` : ''; }
  private filled(): string { return `fill="${escape(this.fillStyle)}"${this.alpha()}`; }
  private stroked(): string {
    const dashes = this.dashes.length ? ` stroke-dasharray="${this.dashes.map(number).join(' ')}"` : '';
    return `fill="none" stroke="${escape(this.strokeStyle)}" stroke-width="${number(this.lineWidth)}"${dashes}${this.alpha()}`;
  }
  private text(text: string, x: number, y: number, look: string) {
    const size = parseFloat(this.font) || 13;
    const family = this.font.replace(/^\S+\s+/, '');
    this.parts.push(`<text x="${number(x)}" y="${number(y + size * (SHIFTS[this.textBaseline] ?? 0))}" text-anchor="${ANCHORS[this.textAlign] ?? 'start'}" ` +
      `font-size="${number(size)}" font-family="${escape(family)}" ${look}>${escape(text)}</text>`);
  }
}
