import { useDeferredValue, useMemo, useState } from "react";
import { useWords } from "../../words";
import { LogPane } from "./LogPane";
import { LogToolbar, type LogOptions } from "./LogToolbar";
import { fileOf, mergeLines, parseAnchor, type LogStream, type SourcedLine } from "./lines";
import { findMatches, step } from "./search";
import styles from "./LogView.module.css";

interface LogViewProps {
  /** One or several containers. */
  streams: LogStream[];
  /** The hash of the URL, which may name a line. */
  anchor?: string;
  /** Of the download, without its ending. */
  fileName: string;
  /** Whether the log of the container before the last restart is shown; without it there is no such choice. */
  earlier?: { isShown: boolean; onChange: (shown: boolean) => void };
}

const MERGED_FROM = 4;

/** Logs of one or several containers, side by side or merged, with search, follow, colours and links to lines. */
export function LogView({ streams, anchor = "", fileName, earlier }: LogViewProps) {
  const words = useWords().viewers.logs;
  const [options, setOptions] = useState<LogOptions>({ isMerged: streams.length >= MERGED_FROM, wraps: false, hasTimes: false, query: "", follows: true });
  const [current, setCurrent] = useState(-1);
  const query = useDeferredValue(options.query);
  const isMerged = options.isMerged && streams.length > 1;
  const panes = useMemo(() => panesOf(streams, isMerged), [streams, isMerged]);
  const matches = useMemo(() => findMatches(panes.map((pane) => pane.lines), query), [panes, query]);
  const place = Math.min(current, matches.length - 1);
  const match = place < 0 ? undefined : matches[place];
  const target = useMemo(() => parseAnchor(anchor), [anchor]);
  const change = (next: Partial<LogOptions>) => {
    if (next.query !== undefined) setCurrent(next.query === "" ? -1 : 0);
    // New lines would move away what was found.
    setOptions((before) => ({ ...before, ...(next.query ? { follows: false } : {}), ...next }));
  };
  return (
    <div className={styles.view}>
      <LogToolbar
        options={options}
        onChange={change}
        canMerge={streams.length > 1}
        place={place}
        count={matches.length}
        onStep={(by) => {
          setCurrent(step(matches.length, place, by));
          change({ follows: false });
        }}
        onDownload={() => download(`${fileName}.log`, fileOf(mergeLines(streams), streams.length > 1))}
        {...(earlier ? { earlier } : {})}
      />
      <div className={[styles.panes, wrapClass(panes.length)].join(" ")}>
        {panes.map((pane, index) => (
          <LogPane
            key={pane.id}
            pane={pane}
            options={{ ...options, query }}
            isAlone={panes.length === 1}
            label={words.of(pane.label)}
            matchIndex={match?.pane === index ? match.index : undefined}
            target={target}
            onFollow={(follows) => change({ follows })}
          />
        ))}
      </div>
    </div>
  );
}

export interface Pane {
  id: string;
  label: string;
  lines: SourcedLine[];
  /** Shown before each line of a merged pane. */
  prefixes: Map<string, number> | undefined;
  phase: LogStream["phase"];
  problem: string | undefined;
}

function panesOf(streams: LogStream[], isMerged: boolean): Pane[] {
  if (!isMerged) {
    return streams.map((stream) => ({ ...stream, lines: mergeLines([stream]), prefixes: undefined, problem: stream.problem }));
  }
  const open = streams.find((stream) => stream.phase === "open") ?? streams.find((stream) => stream.phase === "loading");
  return [
    {
      id: "merged",
      label: streams.map((stream) => stream.label).join(", "),
      lines: mergeLines(streams),
      prefixes: new Map(streams.map((stream, index) => [stream.id, index])),
      phase: open?.phase ?? "ended",
      problem: streams.find((stream) => stream.problem !== undefined)?.problem,
    },
  ];
}

const wrapClass = (count: number): string => (count > 1 ? (styles.several ?? "") : "");

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  URL.revokeObjectURL(url);
}
