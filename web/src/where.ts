// Texts of `--where`, as a shell and the command take them.

const WORD = /^[A-Za-z_][A-Za-z0-9_.]*$/;
const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'contains', 'is', 'null', 'nan', 'true', 'false']);
const FIELDS = new Set(['time', 'level', 'thread', 'tid', 'pid', 'program', 'host', 'logger', 'site', 'file', 'line',
  'function', 'format', 'message', 'sequence']);

// A text constant of an expression.
export function quote(text: string): string {
  return '"' + text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n').replace(/\t/g, '\\t') + '"';
}

// How an expression names a field: arguments with other characters, or a keyword's name, are in braces.
export function nameOf(field: string, isArgument = !FIELDS.has(field)): string {
  if (!isArgument) return field;
  return WORD.test(field) && !KEYWORDS.has(field.toLowerCase()) && !FIELDS.has(field) ? field : `{${field}}`;
}

export function equals(field: string, value: string | number | boolean, isArgument?: boolean, not = false): string {
  const name = nameOf(field, isArgument);
  const op = not ? '!=' : '==';
  if (field === 'level' && !isArgument) return `level ${op} ${value}`;
  return `${name} ${op} ${typeof value === 'string' ? quote(value) : value}`;
}

// low <= field < high, in a unit if the field is a duration.
export function between(field: string, low: number, high: number, unit = ''): string {
  const name = nameOf(field);
  return `${name} >= ${low}${unit} and ${name} < ${high}${unit}`;
}

// True if `or` stands outside quotes: such a chip needs parentheses beside others.
function hasOr(text: string): boolean {
  return /\bor\b/i.test(text.replace(/"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/g, '""'));
}

export function joinFilters(filters: string[]): string {
  return filters.length === 1 ? filters[0] : filters.map((f) => (hasOr(f) ? `(${f})` : f)).join(' and ');
}

// An argument of a POSIX shell.
export function shellQuote(text: string): string {
  return "'" + text.replace(/'/g, "'\\''") + "'";
}
