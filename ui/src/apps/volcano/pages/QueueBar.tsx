import type { QueueResource } from "../../../kinds/generated";
import { useWords } from "../../../words";
import { shapeOf } from "./scale";
import styles from "./queues.module.css";

const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;

/** One resource of a queue: used, borrowed and lent as lengths, deserved and limit as marks, all on the scale of all queues. */
export function QueueBar({ resource, scale }: { resource: QueueResource; scale: number }) {
  const { queues: words, home } = useWords();
  const name = home.resources[resource.resource] ?? resource.resource;
  const shape = shapeOf(resource, scale);
  const texts = [
    `${words.used} ${resource.allocated.text}`,
    resource.deserved && `${words.deserved} ${resource.deserved.text}`,
    resource.guarantee && `${words.guarantee} ${resource.guarantee.text}`,
    resource.capability && `${words.limit} ${resource.capability.text}`,
    resource.lent.value > 0 && `${words.lent} ${resource.lent.text}`,
    resource.borrowed.value > 0 && `${words.borrowed} ${resource.borrowed.text}`,
  ].filter(Boolean);
  return (
    <div className={styles.bar} title={texts.join(", ")}>
      <span className={styles.quiet}>{name}</span>
      <div className={styles.track} role="img" aria-label={`${name}: ${texts.join(", ")}`}>
        <div className={styles.used} style={{ width: percent(shape.used) }} />
        <div className={styles.borrowed} style={{ width: percent(shape.borrowed) }} />
        <div className={styles.lent} style={{ width: percent(shape.lent) }} />
        {shape.deserved !== undefined && <div className={styles.mark} style={{ left: percent(shape.deserved) }} />}
        {shape.limit !== undefined && <div className={`${styles.mark ?? ""} ${styles.limit ?? ""}`} style={{ left: percent(shape.limit) }} />}
      </div>
      <span className={styles.quiet}>
        {resource.allocated.text}
        {resource.deserved && ` / ${resource.deserved.text}`}
      </span>
    </div>
  );
}

export function QueueLegend() {
  const words = useWords().queues;
  return (
    <div className={styles.legend}>
      <span>
        <i className={`${styles.key ?? ""} ${styles.used ?? ""}`} />
        {words.used}
      </span>
      <span>
        <i className={`${styles.key ?? ""} ${styles.borrowed ?? ""}`} />
        {words.borrowed}
      </span>
      <span>
        <i className={`${styles.key ?? ""} ${styles.lent ?? ""}`} />
        {words.lent}
      </span>
      <span>
        <i className={styles.keyMark} />
        {words.deserved}
      </span>
      <span>
        <i className={`${styles.keyMark ?? ""} ${styles.limit ?? ""}`} />
        {words.limit}
      </span>
    </div>
  );
}
