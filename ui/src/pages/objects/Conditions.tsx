import { useMemo } from "react";
import type { KubeObject } from "../../api/k8s";
import { Card } from "../../parts/card/Card";
import type { Column } from "../../parts/table/columns";
import { DataTable } from "../../parts/table/DataTable";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string | undefined;
}

/** The conditions in an object's status, of whatever kind it is. Pure. */
export function conditionsOf(object: KubeObject): Condition[] {
  const status = object["status"] as { conditions?: unknown } | undefined;
  if (!Array.isArray(status?.conditions)) return [];
  return (status.conditions as Record<string, unknown>[]).map((one) => ({
    type: text(one["type"]),
    status: text(one["status"]),
    reason: text(one["reason"]),
    message: text(one["message"]),
    lastTransitionTime: text(one["lastTransitionTime"]) || undefined,
  }));
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function Conditions({ object }: { object: KubeObject }) {
  const words = useWords();
  const rows = conditionsOf(object);
  const columns = useMemo<Column<Condition>[]>(
    () => [
      { id: "type", header: words.common.type, value: (row) => row.type },
      { id: "status", header: words.common.state, value: (row) => row.status },
      { id: "reason", header: words.common.reason, value: (row) => row.reason, hide: "medium" },
      { id: "message", header: words.common.message, value: (row) => row.message, cell: (row) => <span title={row.message}>{row.message}</span> },
      { id: "age", header: words.common.age, value: (row) => row.lastTransitionTime, cell: (row) => <Time at={row.lastTransitionTime} bare />, hide: "medium" },
    ],
    [words],
  );
  if (rows.length === 0) return null;
  return (
    <Card title={words.cluster.conditions}>
      <DataTable plain label={words.cluster.conditions} rows={rows} columns={columns} idOf={(row) => row.type} />
    </Card>
  );
}
