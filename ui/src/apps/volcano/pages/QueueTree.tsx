import { Link } from "@tanstack/react-router";
import type { NodeRow, QueueRow } from "../../../kinds/generated";
import { Pill } from "../../../parts/pill/Pill";
import { useWords } from "../../../words";
import { QueueBar } from "./QueueBar";
import { scaleOf } from "./scale";
import styles from "./queues.module.css";

const INDENT_PX = 18;

/** The queues as a tree, each with a bar a resource. */
export function QueueTree({ queues, nodes, resources }: { queues: QueueRow[]; nodes: NodeRow[]; resources: string[] }) {
  const words = useWords().queues;
  return (
    <div className={styles.queues}>
      {queues.map((queue) => (
        <div key={queue.name} className={styles.queue}>
          <div className={styles.name} style={{ paddingLeft: queue.depth * INDENT_PX }}>
            <Link to="/queues/$name" params={{ name: queue.name }}>
              {queue.name}
            </Link>
            {queue.state !== "Open" && <Pill state="stopped" label={words.states[queue.state] ?? queue.state} />}
            <span className={styles.quiet}>
              {words.weight} {queue.weight}
            </span>
          </div>
          <div className={styles.bars}>
            {queue.resources
              .filter((one) => resources.includes(one.resource))
              .map((one) => (
                <QueueBar key={one.resource} resource={one} scale={scaleOf(queues, nodes, one.resource)} />
              ))}
          </div>
          <div className={styles.counts}>
            <div>
              {words.running} {queue.running}
            </div>
            <div className={styles.quiet}>
              {words.waiting} {queue.pending + queue.inqueue}
            </div>
          </div>
        </div>
      ))}
    </div>
  );
}
