import { memo } from "react";
import { useWords } from "../../words";
import { Icon } from "../Icon";
import type { FoldRow } from "./folds";
import type { SourcedLine } from "./lines";
import type { LogOptions } from "./LogToolbar";
import { markedSpans, type MarkedSpan } from "./search";
import styles from "./LogView.module.css";

interface LogRowProps {
  index: number;
  measure: (element: HTMLElement | null) => void;
  line: SourcedLine;
  fold: FoldRow["fold"];
  onFold: (head: number, isFolded: boolean) => void;
  /** The place of its stream among the merged ones, for its colour. */
  prefix: number | undefined;
  options: LogOptions;
  isCurrent: boolean;
  isTarget: boolean;
  anchor: string;
}

const SERIES = 8;

export const LogRow = memo(function LogRow({ index, measure, line, fold, onFold, prefix, options, isCurrent, isTarget, anchor }: LogRowProps) {
  const words = useWords().viewers.logs;
  return (
    <div
      ref={measure}
      data-index={index}
      id={anchor}
      className={[styles.line, isCurrent && styles.current, isTarget && styles.target].filter(Boolean).join(" ")}
    >
      <a className={styles.number} href={`#${anchor}`} aria-label={words.line(line.number)}>
        {line.number}
      </a>
      {options.hasTimes && <time className={styles.time}>{line.time.slice(0, 23).replace("T", " ")}</time>}
      {prefix !== undefined && (
        <span className={styles.prefix} style={{ borderColor: `var(--series-${(prefix % SERIES) + 1})` }}>
          {line.source}
        </span>
      )}
      {fold && (
        <button type="button" className={styles.fold} aria-expanded={!fold.isFolded} onClick={() => onFold(fold.head, !fold.isFolded)}>
          <Icon name={fold.isFolded ? "right" : "down"} size={14} />
          {fold.title === "" ? words.frames : fold.title}
          <span className={styles.foldCount}>{words.lines(fold.last - fold.head)}</span>
        </button>
      )}
      <span className={styles.text}>
        {(fold?.title ? [] : markedSpans(line.text, options.query)).map((span, place) => (
          <Span key={place} span={span} />
        ))}
      </span>
    </div>
  );
});

function Span({ span }: { span: MarkedSpan }) {
  const names = [span.colour && styles[span.colour], span.bold && styles.bold, span.dim && styles.dim, span.italic && styles.italic, span.underline && styles.underline];
  const className = names.filter(Boolean).join(" ");
  if (span.isMatch) return <mark className={className}>{span.text}</mark>;
  return className === "" ? span.text : <span className={className}>{span.text}</span>;
}
