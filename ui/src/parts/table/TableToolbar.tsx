import { memo, useMemo, type ReactNode } from "react";
import { useWords } from "../../words";
import { TextInput } from "../field/TextInput";
import { Icon } from "../Icon";
import type { Column } from "./columns";
import { termOf, withTerm } from "./filter";
import { ValueCounts, type ValueCount } from "./valueCounts";
import styles from "./DataTable.module.css";

interface TableToolbarProps<Row> {
  rows: Row[];
  shown: number;
  facet: Column<Row> | undefined;
  query: string;
  onQuery: (query: string) => void;
  /** Further controls. */
  children?: ReactNode;
}

export function TableToolbar<Row>({ rows, shown, facet, query, onQuery, children }: TableToolbarProps<Row>) {
  const words = useWords();
  const counting = useMemo(() => facet && new ValueCounts(facet), [facet]);
  const counts = useMemo(() => counting?.of(rows), [counting, rows]);
  return (
    <div className={styles.toolbar}>
      <FilterBox query={query} onQuery={onQuery} example={facet && counts?.[0] ? withTerm("", facet.id.toLowerCase(), counts[0].value.toLowerCase()) : undefined} />
      {facet && counts && <Facets counts={counts} id={facet.id.toLowerCase()} label={facet.header} query={query} onQuery={onQuery} />}
      {children}
      <span className={styles.count} role="status">
        {shown === rows.length ? words.common.rows(shown) : words.common.rowsOf(shown, rows.length)}
      </span>
    </div>
  );
}

interface FilterBoxProps {
  query: string;
  onQuery: (query: string) => void;
}

/** Rows that change, change neither it nor mostly the facets: both are drawn again when their own properties do. */
const FilterBox = memo(function FilterBox({ query, onQuery, example }: FilterBoxProps & { example: string | undefined }) {
  const words = useWords();
  return (
    <div className={styles.filter}>
      <Icon name="filter" />
      <TextInput label={words.common.filter} hideLabel type="search" value={query} onChange={onQuery} placeholder={words.common.filterHint(example)} />
    </div>
  );
});

interface FacetsProps extends FilterBoxProps {
  counts: ValueCount[];
  /** Of the column, as the filter names it. */
  id: string;
  label: string;
}

/** How many rows have each value; a press shows only those. */
const Facets = memo(function Facets({ counts, id, label, query, onQuery }: FacetsProps) {
  const chosen = termOf(query, id);
  if (counts.length < 2 && chosen === undefined) return null;
  return (
    <div className={styles.chips} role="group" aria-label={label}>
      {counts.map(({ value, word, count }) => {
        const isChosen = chosen === value.toLowerCase();
        return (
          <button key={value} type="button" className={styles.chip} aria-pressed={isChosen} onClick={() => onQuery(withTerm(query, id, isChosen ? undefined : value))}>
            {word} <span>{count}</span>
          </button>
        );
      })}
    </div>
  );
});
