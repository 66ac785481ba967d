import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Choice } from "../field/Choice";
import type { Column, Sort } from "./columns";
import styles from "./DataTable.module.css";

interface SortChoiceProps<Row> {
  columns: Column<Row>[];
  sort: Sort | undefined;
  onSort: (sort: Sort) => void;
}

/** By what a list without a head is ordered, and in which direction. */
export function SortChoice<Row>({ columns, sort, onSort }: SortChoiceProps<Row>) {
  const words = useWords().common;
  const { column = columns[0]?.id ?? "", descending = false } = sort ?? {};
  return (
    <div className={styles.order}>
      <Choice
        label={words.sortBy}
        hideLabel
        options={columns.map(({ id, header }) => ({ value: id, label: header }))}
        value={column}
        onChange={(chosen) => onSort({ column: chosen, descending: false })}
      />
      <Button
        icon={descending ? "down" : "up"}
        iconOnly
        look="quiet"
        label={descending ? words.sortAscending : words.sortDescending}
        onPress={() => onSort({ column, descending: !descending })}
      />
    </div>
  );
}
