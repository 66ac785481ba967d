/** Logs of several containers as they are written. */
import { useEffect, useState } from "react";
import { LineCutter, type LogLine, type LogStream } from "../parts/logs/lines";
import { logText } from "./argoLog";
import { stream } from "./client";
import { messageOf } from "./errors";
import { podLog } from "./k8s";

export interface LogSource {
  id: string;
  namespace: string;
  pod: string;
  container: string;
  /** Another one after a restart of the pod: the log is read again. */
  uid: string;
  /** Where else than at the API server the log is read, such as one that outlives its pod. */
  path?: string;
  /** What is read there: text, or the lines of JSON of Argo Server. */
  format?: "argo";
}

const textAt = (path: string, format: LogSource["format"], signal: AbortSignal): AsyncGenerator<string> => (format === "argo" ? logText(stream(path, signal)) : stream(path, signal));

/** Lines kept of each container; older ones are left out. */
const MAX_LINES = 100_000;
const SHOW_EVERY_MS = 150;

/** One stream for each source; they are read until the component goes. */
export function useLogs(sources: LogSource[], previous: boolean): LogStream[] {
  const [streams, setStreams] = useState<LogStream[]>([]);
  const key = JSON.stringify(sources);
  useEffect(() => {
    const reading = new LogReading(JSON.parse(key) as LogSource[], previous, setStreams);
    return () => reading.stop();
  }, [key, previous]);
  return streams;
}

/** Reads several logs, and shows what has come every now and then: a fast writer must not draw the page for each line. */
class LogReading {
  private readonly control = new AbortController();
  private readonly shown: LogStream[];
  private readonly buffers: LogLine[][];
  private readonly publish: (streams: LogStream[]) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sources: LogSource[], previous: boolean, publish: (streams: LogStream[]) => void) {
    this.publish = publish;
    this.shown = sources.map(({ id }) => ({ id, label: id, lines: [], phase: "loading" }));
    this.buffers = sources.map(() => []);
    publish([...this.shown]);
    sources.forEach((source, index) => void this.read(source, index, previous));
  }

  stop(): void {
    this.control.abort();
    clearTimeout(this.timer);
  }

  private async read(source: LogSource, index: number, previous: boolean): Promise<void> {
    const cutter = new LineCutter();
    const query = { container: source.container, follow: !previous, timestamps: true, tailLines: MAX_LINES, previous };
    try {
      this.show(index, { phase: "open" }, []);
      const chunks =
        source.path === undefined
          ? podLog({ namespace: source.namespace, name: source.pod }, query, this.control.signal)
          : textAt(source.path, source.format, this.control.signal);
      for await (const chunk of chunks) {
        this.show(index, { phase: "open" }, cutter.push(chunk));
      }
      this.show(index, { phase: "ended" }, cutter.end());
    } catch (error) {
      this.show(index, { phase: "error", problem: messageOf(error) }, []);
    }
  }

  private show(index: number, change: Partial<LogStream>, more: LogLine[]): void {
    const before = this.shown[index];
    if (before === undefined || this.control.signal.aborted) return;
    for (const line of more) this.buffers[index]?.push(line);
    this.shown[index] = { ...before, ...change };
    this.timer ??= setTimeout(() => this.flush(), SHOW_EVERY_MS);
  }

  private flush(): void {
    this.timer = undefined;
    this.buffers.forEach((buffer, index) => {
      const stream = this.shown[index];
      if (buffer.length === 0 || stream === undefined) return;
      this.shown[index] = { ...stream, lines: [...stream.lines, ...buffer.splice(0)].slice(-MAX_LINES) };
    });
    this.publish([...this.shown]);
  }
}
