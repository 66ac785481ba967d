/** Lines of logs: cut from what arrives, merged by time, written to a file. Pure. */
import { withoutAnsi } from "./ansi";

export interface LogLine {
  /** From 1, as in the whole log that was read. */
  number: number;
  /** RFC 3339; empty where the line has none. */
  time: string;
  /** As written, with its escape sequences. */
  text: string;
  /** As searched. */
  plain: string;
}

/** A line of one of several streams. */
export interface SourcedLine extends LogLine {
  source: string;
}

/** What one container writes. */
export interface LogStream {
  /** Also names its lines in links: `#worker-0:L12`. */
  id: string;
  label: string;
  lines: LogLine[];
  phase: "loading" | "open" | "ended" | "error";
  /** What the server said where the log could not be read. */
  problem?: string | undefined;
}

const STAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?/;

/** A line as the API sends it with `timestamps=true`. Of a progress bar only its newest state is kept. */
export function lineOf(raw: string, number: number): LogLine {
  const stamp = STAMP.exec(raw);
  const rest = (stamp === null ? raw : raw.slice(stamp[0].length)).replace(/\r+$/, "");
  const text = rest.slice(rest.lastIndexOf("\r") + 1);
  return { number, time: stamp?.[1] ?? "", text, plain: withoutAnsi(text) };
}

/** Cuts chunks into lines; what follows the last line break waits for the next chunk. */
export class LineCutter {
  private rest = "";
  private next = 1;

  push(chunk: string): LogLine[] {
    const parts = (this.rest + chunk).split("\n");
    this.rest = parts.pop() ?? "";
    return parts.map((part) => lineOf(part, this.next++));
  }

  end(): LogLine[] {
    const rest = this.rest;
    this.rest = "";
    return rest === "" ? [] : [lineOf(rest, this.next++)];
  }
}

/** The lines of all streams in the order of their times; lines without one stay behind those before them in their stream. */
export function mergeLines(streams: Pick<LogStream, "id" | "lines">[]): SourcedLine[] {
  const only = streams.length === 1 ? streams[0] : undefined;
  if (only !== undefined) return only.lines.map((line) => ({ ...line, source: only.id }));
  const keyed = streams.flatMap((stream, order) => {
    let last = "";
    return stream.lines.map((line) => {
      if (line.time !== "") last = line.time;
      return { key: last, order, line: { ...line, source: stream.id } };
    });
  });
  keyed.sort((a, b) => compareTimes(a.key, b.key) || a.order - b.order || a.line.number - b.line.number);
  return keyed.map(({ line }) => line);
}

/** RFC 3339 in UTC with fractions of any length. */
function compareTimes(a: string, b: string): number {
  if (a === b) return 0;
  const seconds = a.slice(0, 19).localeCompare(b.slice(0, 19));
  if (seconds !== 0) return seconds;
  const fraction = (time: string) => (/\.(\d+)/.exec(time)?.[1] ?? "").padEnd(9, "0");
  return fraction(a) < fraction(b) ? -1 : 1;
}

/** The text of a file with these lines. */
export function fileOf(lines: (LogLine & { source?: string })[], withSource: boolean): string {
  return lines.map((line) => `${line.time === "" ? "" : `${line.time} `}${withSource ? `[${line.source ?? ""}] ` : ""}${line.plain}\n`).join("");
}

/** `#L12` or `#worker-0:L12` in a URL. */
export function parseAnchor(hash: string): { source: string | undefined; number: number } | undefined {
  const match = /^#?(?:(.+):)?L(\d+)$/.exec(hash);
  return match === null ? undefined : { source: match[1], number: Number(match[2]) };
}
