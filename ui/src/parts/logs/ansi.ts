/** ANSI escape sequences of a line of text: colours and weights become styles, everything else is left out. Pure. */

export type AnsiColour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "grey";

export interface AnsiStyle {
  colour?: AnsiColour;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
}

export interface AnsiSpan extends AnsiStyle {
  text: string;
}

const COLOURS: (AnsiColour | undefined)[] = ["grey", "red", "green", "yellow", "blue", "magenta", "cyan", undefined];
const SEQUENCE = /\u001b(?:\[([0-9;:?]*)([@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The spans of a line; styles do not reach over its end. */
export function parseAnsi(line: string): AnsiSpan[] {
  if (!line.includes("\u001b")) return line === "" ? [] : [{ text: line }];
  const spans: AnsiSpan[] = [];
  let style: AnsiStyle = {};
  let from = 0;
  for (const match of line.matchAll(SEQUENCE)) {
    if (match.index > from) spans.push({ ...style, text: line.slice(from, match.index) });
    from = match.index + match[0].length;
    if (match[2] === "m") style = styled(style, match[1] ?? "");
  }
  if (from < line.length) spans.push({ ...style, text: line.slice(from) });
  return spans;
}

/** The text alone, as it is searched and downloaded. */
export function withoutAnsi(line: string): string {
  return line.includes("\u001b") ? line.replace(SEQUENCE, "") : line;
}

function styled(before: AnsiStyle, parameters: string): AnsiStyle {
  const codes = parameters.split(/[;:]/).map(Number);
  let style = { ...before };
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index] ?? 0;
    if (code === 38 || code === 48) {
      // 38;5;n and 38;2;r;g;b: the palette has eight colours that are readable in both schemes, so others are left as text.
      const length = codes[index + 1] === 5 ? 2 : 4;
      if (code === 38) style = { ...style, colour: codes[index + 1] === 5 ? COLOURS[(codes[index + 2] ?? 7) % 8] : undefined };
      index += length;
    } else {
      style = applied(style, code);
    }
  }
  return style;
}

function applied(style: AnsiStyle, code: number): AnsiStyle {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 3) return { ...style, italic: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 23) return { ...style, italic: false };
  if (code === 24) return { ...style, underline: false };
  if (code === 39) return { ...style, colour: undefined };
  if (code >= 30 && code <= 37) return { ...style, colour: COLOURS[code - 30] };
  if (code >= 90 && code <= 97) return { ...style, colour: COLOURS[code - 90] };
  return style;
}
