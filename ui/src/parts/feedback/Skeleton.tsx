import { useEffect, useState } from "react";
import { useWords } from "../../words";
import styles from "./feedback.module.css";

const DELAY_MS = 150;
const WIDTHS = ["38%", "82%", "64%", "90%", "52%", "76%"];

/** Where text will be; only after a moment, since most answers come sooner. */
export function Skeleton({ lines = 6 }: { lines?: number }) {
  const words = useWords();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), DELAY_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div className={styles.skeleton} role="status" aria-label={words.common.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={styles.bone} style={{ width: WIDTHS[line % WIDTHS.length] }} />
      ))}
    </div>
  );
}
