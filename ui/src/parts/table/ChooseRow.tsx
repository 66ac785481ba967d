import styles from "./DataTable.module.css";

interface ChooseRowProps {
  /** Read out as its name. */
  label: string;
  id: string;
  chosen: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
  /** How many rows may be chosen. */
  limit: number;
}

/** The box by which a row is chosen; disabled once enough are. */
export function ChooseRow({ label, id, chosen, onChoose, limit }: ChooseRowProps) {
  const isChosen = chosen.has(id);
  return (
    <input
      type="checkbox"
      className={styles.choose}
      checked={isChosen}
      disabled={!isChosen && chosen.size >= limit}
      aria-label={label}
      onChange={(event) => onChoose(id, event.target.checked)}
    />
  );
}
