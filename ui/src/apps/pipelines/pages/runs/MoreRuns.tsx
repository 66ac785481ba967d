import type { RunsLeft } from "../../api/pipelinesHistory";
import { Button } from "../../../../parts/button/Button";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

/** Below a list of runs: how many of them it has, and a way to the others. */
export function MoreRuns({ left }: { left: RunsLeft | undefined }) {
  const words = useWords().pipelines.runs.left;
  if (left === undefined) return null;
  return (
    <p className={styles.moreRows}>
      <span className={styles.quiet} role="status">{words[left.kind](left.count, left.total)}</span>
      <Button small label={words.more} busy={left.isReading} onPress={left.more} />
    </p>
  );
}
