import styles from "./Name.module.css";

const TAIL = 8;

/** A name on one line: too long a one loses its middle, since names differ at their ends. The full name is on hover. */
export function Name({ text }: { text: string }) {
  if (text.length <= 2 * TAIL) return <span className={styles.short} title={text}>{text}</span>;
  return (
    <span className={styles.name} title={text}>
      {/* A name in two boxes would be read out as two words. */}
      <span className="visually-hidden">{text}</span>
      <span className={styles.start} aria-hidden="true">
        {text.slice(0, -TAIL)}
      </span>
      <span className={styles.end} aria-hidden="true">
        {text.slice(-TAIL)}
      </span>
    </span>
  );
}
