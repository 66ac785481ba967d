import { useMemo } from "react";
import { useWords } from "../../words";
import { TextInput } from "../field/TextInput";
import { Icon } from "../Icon";
import type { Column } from "./columns";
import { termOf, withTerm } from "./filter";
import styles from "./DataTable.module.css";

interface TableToolbarProps<Row> {
  rows: Row[];
  shown: number;
  facet: Column<Row> | undefined;
  query: string;
  onQuery: (query: string) => void;
}

export function TableToolbar<Row>({ rows, shown, facet, query, onQuery }: TableToolbarProps<Row>) {
  const words = useWords();
  return (
    <div className={styles.toolbar}>
      <div className={styles.filter}>
        <Icon name="filter" />
        <TextInput
          label={words.common.filter}
          hideLabel
          type="search"
          value={query}
          onChange={onQuery}
          placeholder={words.common.filterHint}
        />
      </div>
      {facet && <Facets rows={rows} column={facet} query={query} onQuery={onQuery} />}
      <span className={styles.count} role="status">
        {shown === rows.length ? words.common.rows(shown) : words.common.rowsOf(shown, rows.length)}
      </span>
    </div>
  );
}

interface FacetsProps<Row> {
  rows: Row[];
  column: Column<Row>;
  query: string;
  onQuery: (query: string) => void;
}

/** How many rows have each value; a press shows only those. */
function Facets<Row>({ rows, column, query, onQuery }: FacetsProps<Row>) {
  const counts = useMemo(() => {
    const byValue = new Map<string, { word: string; count: number }>();
    for (const row of rows) {
      const value = String(column.value(row) ?? "");
      byValue.set(value, { word: column.word?.(row) ?? value, count: (byValue.get(value)?.count ?? 0) + 1 });
    }
    return [...byValue].sort(([a], [b]) => a.localeCompare(b));
  }, [rows, column]);
  const chosen = termOf(query, column.id.toLowerCase());
  if (counts.length < 2 && chosen === undefined) return null;
  return (
    <div className={styles.chips} role="group" aria-label={column.header}>
      {counts.map(([value, { word, count }]) => {
        const isChosen = chosen === value.toLowerCase();
        return (
          <button
            key={value}
            type="button"
            className={styles.chip}
            aria-pressed={isChosen}
            onClick={() => onQuery(withTerm(query, column.id.toLowerCase(), isChosen ? undefined : value))}
          >
            {word} <span>{count}</span>
          </button>
        );
      })}
    </div>
  );
}
