import { useMemo } from "react";
import type { KubeObject } from "../../api/k8s";
import { conditionsOf, isFailing, type Condition } from "../../kinds/objectState";
import { Card } from "../../parts/card/Card";
import { Pill } from "../../parts/pill/Pill";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";

/** The conditions of an object of whatever kind, those that fail first. */
export function Conditions({ object }: { object: KubeObject }) {
  const words = useWords();
  const rows = conditionsOf(object);
  const columns = useMemo<Column<Condition>[]>(
    () => [
      { id: "type", header: words.common.type, value: (row) => row.type },
      { id: "status", header: words.common.state, value: (row) => row.status, cell: (row) => (isFailing(row) ? <Pill state="failed" label={row.status} /> : row.status) },
      { id: "reason", header: words.common.reason, value: (row) => row.reason, hide: "medium" },
      { id: "message", header: words.common.message, value: (row) => row.message, wraps: true },
      { id: "age", header: words.common.age, value: (row) => row.lastTransitionTime, cell: (row) => <Time at={row.lastTransitionTime} bare />, hide: "medium" },
    ],
    [words],
  );
  if (rows.length === 0) return null;
  return (
    <Card title={words.cluster.conditions}>
      <DataTable inside="conditions" label={words.cluster.conditions} rows={rows} columns={columns} idOf={(row) => row.type} />
    </Card>
  );
}
