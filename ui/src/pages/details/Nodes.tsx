import { useMemo, type ReactNode } from "react";
import type { NodeRow } from "../../kinds/generated";
import { CapacityBar } from "../../parts/capacity/CapacityBar";
import { Card } from "../../parts/card/Card";
import { Pill } from "../../parts/pill/Pill";
import { Stack } from "../../parts/page/Page";
import type { Column } from "../../parts/table/columns";
import { FilteredList } from "../../parts/table/FilteredList";
import { useWords, type Words } from "../../words";
import styles from "./Nodes.module.css";

/** A card for each node; filtered and ordered by its name, state, pods and what is free. */
export function NodeGrid({ nodes, children }: { nodes: NodeRow[]; children: (node: NodeRow) => ReactNode }) {
  const words = useWords();
  const resources = [...new Set(nodes.flatMap((node) => node.resources.map((one) => one.resource)))].join(" ");
  const columns = useMemo(() => columnsOf(words, resources === "" ? [] : resources.split(" ")), [words, resources]);
  return (
    <FilteredList inside="nodes" rows={nodes} columns={columns} facet="state" initialSort={{ column: "name", descending: false }} sortable>
      {(shown) => <div className={styles.grid}>{shown.map(children)}</div>}
    </FilteredList>
  );
}

function columnsOf({ common, cluster: { node: words }, home }: Words, resources: string[]): Column<NodeRow>[] {
  const state = (node: NodeRow) => (!node.ready ? words.notReady : node.schedulable ? words.ready : words.cordoned);
  return [
    { id: "name", header: common.name, value: (node) => node.name },
    { id: "state", header: common.state, value: state },
    { id: "pods", header: words.pods, value: (node) => node.pods },
    ...resources.map((resource) => ({
      id: resource,
      header: words.freeOf(home.resources[resource] ?? resource),
      value: (node: NodeRow) => node.resources.find((one) => one.resource === resource)?.free.value,
    })),
  ];
}

/** A node and the amounts that are requested on it; `children` say more about it. */
export function NodeCard({ node, children }: { node: NodeRow; children?: ReactNode }) {
  const { cluster: { node: words }, home } = useWords();
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
            label={words.requestedOf(home.resources[one.resource] ?? one.resource)}
            total={one.allocatable.value}
            numbers={home.ofTotal(one.used.text, one.allocatable.text)}
            shares={one.used.value > 0 ? [{ label: home.requested, value: one.used.value, text: one.used.text }] : []}
          />
        ))}
        {children}
      </Stack>
    </Card>
  );
}
