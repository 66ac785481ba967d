import type { ReactNode } from "react";
import type { NodeRow } from "../../kinds/generated";
import { CapacityBar } from "../../parts/capacity/CapacityBar";
import { Card } from "../../parts/card/Card";
import { Pill } from "../../parts/pill/Pill";
import { Stack } from "../../parts/page/Page";
import { useWords } from "../../words";
import styles from "./queues.module.css";

/** Free capacity per node. */
export function Nodes({ nodes }: { nodes: NodeRow[] }) {
  return (
    <NodeGrid>
      {nodes.map((node) => (
        <NodeCard key={node.name} node={node} />
      ))}
    </NodeGrid>
  );
}

export function NodeGrid({ children }: { children: ReactNode }) {
  return <div className={styles.grid}>{children}</div>;
}

/** A node with what is free on it; `children` say more about it. */
export function NodeCard({ node, children }: { node: NodeRow; children?: ReactNode }) {
  const { queues: words, home } = useWords();
  return (
    <Card
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
        {children}
      </Stack>
    </Card>
  );
}
