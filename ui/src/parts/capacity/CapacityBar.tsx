import styles from "./CapacityBar.module.css";

export interface Share {
  label: string;
  value: number;
  text: string;
}

interface CapacityBarProps {
  label: string;
  /** One of several quantities of a resource, whose name is above them. */
  quiet?: boolean;
  total: number;
  /** "3 of 8 free", beside the label. */
  numbers: string;
  /** Who holds it, the largest first; those beyond the third are drawn as one. A share without a label is not listed below the bar. */
  shares: Share[];
}

const SHOWN = 3;

/** The largest shares, and the rest as one. Pure. */
export function largest(shares: Share[], others: string): Share[] {
  if (shares.length <= SHOWN) return shares;
  const rest = shares.slice(SHOWN).reduce((sum, share) => sum + share.value, 0);
  return [...shares.slice(0, SHOWN), { label: others, value: rest, text: "" }];
}

/** One resource as a bar: who holds which part of it, and what is free. */
export function CapacityBar({ label, quiet, total, numbers, shares }: CapacityBarProps) {
  return (
    <div className={styles.row}>
      <div className={quiet === true ? styles.quietHead : styles.head}>
        <span>{label}</span>
        <span className={styles.numbers}>{numbers}</span>
      </div>
      <div className={styles.bar} role="img" aria-label={`${label}: ${numbers}`}>
        {total > 0 &&
          shares.map((share, index) => (
            <div
              key={share.label}
              className={`${styles.part ?? ""} ${styles[`s${index + 1}`] ?? ""}`}
              style={{ width: `${Math.min(100, (100 * share.value) / total)}%` }}
              title={`${share.label === "" ? label : share.label}: ${share.text}`}
            />
          ))}
      </div>
      {shares.some((share) => share.label !== "") && (
        <div className={styles.users}>
          {shares.map((share, index) => (
            <span key={share.label}>
              <span className={`${styles.key ?? ""} ${styles[`s${index + 1}`] ?? ""}`} />
              {share.label} {share.text}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}
