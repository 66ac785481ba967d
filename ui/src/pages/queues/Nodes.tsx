import type { NodeRow } from "../../kinds/generated";
import { CapacityBar } from "../../parts/capacity/CapacityBar";
import { Card } from "../../parts/card/Card";
import { Pill } from "../../parts/pill/Pill";
import { Stack } from "../../parts/page/Page";
import { useWords } from "../../words";
import styles from "./queues.module.css";

/** Free capacity per node. */
export function Nodes({ nodes }: { nodes: NodeRow[] }) {
  const { queues: words, home } = useWords();
  return (
    <div className={styles.grid}>
      {nodes.map((node) => (
        <Card
          key={node.name}
          title={node.name}
          aside={
            !node.ready ? (
              <Pill state="failed" label={words.notReady} />
            ) : !node.schedulable ? (
              <Pill state="stopped" label={words.cordoned} />
            ) : (
              <span className={styles.quiet}>
                {words.pods} {node.pods}
              </span>
            )
          }
        >
          <Stack>
            {node.resources.map((one) => (
              <CapacityBar
                key={one.resource}
                label={home.resources[one.resource] ?? one.resource}
                total={one.allocatable.value}
                numbers={words.free(one.free.text, one.allocatable.text)}
                shares={one.used.value > 0 ? [{ label: words.used, value: one.used.value, text: one.used.text }] : []}
              />
            ))}
          </Stack>
        </Card>
      ))}
    </div>
  );
}
