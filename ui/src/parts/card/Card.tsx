import type { ReactNode } from "react";
import styles from "./Card.module.css";

interface CardProps {
  title?: string;
  /** At the right of the title. */
  aside?: ReactNode;
  /** Content that reaches the edges, such as a table. */
  flush?: boolean;
  children: ReactNode;
}

export function Card({ title, aside, flush, children }: CardProps) {
  return (
    <section className={[styles.card, flush && styles.flush].filter(Boolean).join(" ")} aria-label={title}>
      {(title !== undefined || aside !== undefined) && (
        <header className={styles.head}>
          {title !== undefined && <h2>{title}</h2>}
          {aside}
        </header>
      )}
      {children}
    </section>
  );
}

/** Quiet two-column facts; rows without a value are left out. */
export function Facts({ rows }: { rows: [label: string, value: ReactNode][] }) {
  return (
    <dl className={styles.facts}>
      {rows
        .filter(([, value]) => value !== undefined && value !== null && value !== "" && value !== false)
        .map(([label, value]) => (
          <Fact key={label} label={label} value={value} />
        ))}
    </dl>
  );
}

function Fact({ label, value }: { label: string; value: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </>
  );
}
