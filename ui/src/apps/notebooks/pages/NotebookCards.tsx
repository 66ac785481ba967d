import { Link } from "@tanstack/react-router";
import type { NotebookRow } from "../../../kinds/generated";
import { notebookPath, notebookState, phaseWord, serverTypeOf } from "../kinds/notebooks";
import { coresText } from "../../../kinds/quantities";
import { Icon } from "../../../parts/Icon";
import { Pill } from "../../../parts/pill/Pill";
import type { Column, Sort } from "../../../parts/table/columns";
import { FilteredList } from "../../../parts/table/FilteredList";
import { Name } from "../../../parts/text/Name";
import { bytes } from "../../../parts/text/sizes";
import { useWords } from "../../../words";
import { Controls, IdleNote, hasIdleTime } from "./Controls";
import styles from "./Notebooks.module.css";

interface NotebookCardsProps {
  rows: NotebookRow[];
  /** By which they are filtered and ordered, as in the table. */
  columns: Column<NotebookRow>[];
  facet: string;
  initialSort: Sort;
}

/** One card a server; filtered and ordered as the table, by the same part of the URL. */
export function NotebookCards({ rows, columns, facet, initialSort }: NotebookCardsProps) {
  const words = useWords().notebooks;
  return (
    <FilteredList rows={rows} columns={columns} facet={facet} initialSort={initialSort} sortable>
      {(shown) => (
        <ul className={styles.cards} aria-label={words.title}>
          {shown.map((row) => (
            <li key={row.uid} className={styles.card}>
              <NotebookCard row={row} />
            </li>
          ))}
        </ul>
      )}
    </FilteredList>
  );
}

export function NotebookPill({ row }: { row: NotebookRow }) {
  const words = useWords().notebooks;
  return <Pill state={notebookState(row)} label={words.phases[phaseWord(row)]} />;
}

function NotebookCard({ row }: { row: NotebookRow }) {
  const { notebooks: words, reasons } = useWords();
  const state = notebookState(row);
  const sentence = (row.why && reasons.why(row.why)) ?? (state === "failed" || state === "waiting" ? reasons.phase(row.status) : "");
  return (
    <>
      <div className={styles.head}>
        <Link to={notebookPath(row)} className={styles.name}>
          <Name text={row.name} />
        </Link>
        <NotebookPill row={row} />
      </div>
      {sentence !== "" && (
        <p className={styles.why} data-state={state}>
          {sentence}
        </p>
      )}
      <div className={styles.lines}>
        <Icon name="notebook" size={14} />
        <span className={styles.line} title={row.image}>
          {words.types[serverTypeOf(row.serverType)]} · {row.shortImage}
        </span>
        <Icon name="cluster" size={14} />
        <span className={styles.line}>{resourcesText(row, words)}</span>
        <Icon name="volume" size={14} />
        <span className={styles.line}>{row.claims.join(", ") || words.noVolume}</span>
        {hasIdleTime(row) && (
          <>
            <Icon name="clock" size={14} />
            <span className={styles.idle}>
              <IdleNote row={row} />
            </span>
          </>
        )}
      </div>
      <div className={styles.foot}>
        <Controls row={row} small />
      </div>
    </>
  );
}

/** What it asks for, and what it uses of it now. */
function resourcesText(row: NotebookRow, words: ReturnType<typeof useWords>["notebooks"]): string {
  const { cpuCores, memoryBytes } = row.usage;
  const parts = [row.cpu === "" && row.memory === "" ? "" : words.asks(row.cpu || "–", row.memory || "–"), row.gpus.message];
  if (cpuCores !== null && memoryBytes !== null) parts.push(words.use(coresText(cpuCores), bytes(memoryBytes)));
  return parts.filter((part) => part !== "").join(" · ") || "–";
}
