import { useMemo } from "react";
import { useWords } from "../../words";
import { Icon } from "../Icon";
import { DataTable } from "../table/DataTable";
import type { Column } from "../table/columns";
import { Time } from "../text/Time";
import styles from "./EventList.module.css";

export interface EventItem {
  type: string;
  reason: string;
  message: string;
  count: number;
  /** RFC 3339. */
  last: string;
  /** What it is about, such as `Pod fit-worker-0`; left out where all are about the same. */
  about?: string | undefined;
}

/** Events, the newest first; warnings stand out. */
export function EventList({ events }: { events: EventItem[] }) {
  const words = useWords();
  const rows = useMemo(() => [...events].sort((a, b) => Date.parse(b.last) - Date.parse(a.last)), [events]);
  const hasAbout = events.some((event) => event.about !== undefined);
  const columns = useMemo(() => columnsOf(words, hasAbout), [words, hasAbout]);
  if (rows.length === 0) return <p className={styles.none}>{words.viewers.events.none}</p>;
  return <DataTable label={words.viewers.events.label} rows={rows} columns={columns} idOf={(row) => `${row.about ?? ""}/${row.reason}/${row.last}/${row.message}`} inside="events" />;
}

function columnsOf(words: ReturnType<typeof useWords>, hasAbout: boolean): Column<EventItem>[] {
  const about: Column<EventItem> = { id: "object", header: words.viewers.events.object, value: (row) => row.about, hide: "medium" };
  return [
    { id: "type", header: words.common.type, value: (row) => row.type, cell: (row) => <Type type={row.type} />, hide: "medium" },
    {
      id: "reason",
      header: words.common.reason,
      value: (row) => row.reason,
      word: (row) => words.reasons.event(row.reason) || row.reason,
      cell: (row) => (
        <span className={row.type === "Warning" ? styles.warning : undefined}>
          {words.reasons.event(row.reason)} <span lang="en">{row.reason}</span>
        </span>
      ),
    },
    { id: "last", header: words.viewers.events.last, value: (row) => -Date.parse(row.last), cell: (row) => <Time at={row.last} bare /> },
    { id: "count", header: words.viewers.events.count, value: (row) => row.count, align: "right", hide: "medium" },
    ...(hasAbout ? [about] : []),
    { id: "message", header: words.common.message, value: (row) => row.message, cell: (row) => <span className={styles.message} lang="en">{row.message}</span> },
  ];
}

function Type({ type }: { type: string }) {
  return (
    <span className={[styles.type, type === "Warning" && styles.warning].filter(Boolean).join(" ")}>
      <Icon name={type === "Warning" ? "warning" : "info"} size={14} />
      {type}
    </span>
  );
}
