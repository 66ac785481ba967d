import { Link } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { Card } from "../card/Card";
import { ActionMenu } from "../overlay/ActionMenu";
import { pendingDeletes } from "../overlay/pendingDeletes";
import { Pill, type State } from "../pill/Pill";
import { Name } from "../text/Name";
import { Time } from "../text/Time";
import { ChooseRow } from "./ChooseRow";
import type { Column } from "./columns";
import { DataTable, PlainTable } from "./DataTable";
import { FilteredList } from "./FilteredList";

interface PodRow {
  name: string;
  state: State;
  node: string;
  restarts: number;
  created: string;
}

const STATES: State[] = ["running", "running", "running", "succeeded", "waiting", "failed"];

const rows = (count: number): PodRow[] =>
  Array.from({ length: count }, (_, index) => ({
    name: index % 5 === 0 ? `bert-large-uncased-whole-word-masking-worker-${index}` : `fit-worker-${index}`,
    state: STATES[index % STATES.length] ?? "unknown",
    node: `node-${index % 17}`,
    restarts: index % 4,
    created: new Date(Date.now() - index * 47_000).toISOString(),
  }));

const COLUMNS: Column<PodRow>[] = [
  {
    id: "name",
    header: "Name",
    value: (row) => row.name,
    cell: (row) => (
      <Link to={`/objects/core/v1/pods/ml/${row.name}`}>
        <Name text={row.name} />
      </Link>
    ),
  },
  { id: "state", header: "State", value: (row) => row.state, cell: (row) => <Pill state={row.state} /> },
  { id: "node", header: "Node", value: (row) => row.node, hide: "medium" },
  { id: "restarts", header: "Restarts", value: (row) => row.restarts, align: "right", hide: "wide" },
  { id: "age", header: "Age", value: (row) => -Date.parse(row.created), cell: (row) => <Time at={row.created} bare />, align: "right" },
];

const actions = (row: PodRow) => (
  <ActionMenu small label={`Actions of ${row.name}`} actions={[{ id: "delete", label: "Delete", icon: "trash", onAction: () => undefined, danger: true }]} />
);

const table = (count: number) => (
  <DataTable label="Pods" rows={rows(count)} columns={COLUMNS} idOf={(row) => row.name} facet="state" initialSort={{ column: "age", descending: false }} actions={actions} />
);

/** Two rows are chosen, which are all that may be: the boxes of the others are disabled. */
const chosen = new Set(["fit-worker-1", "fit-worker-2"]);
const CHOICE: Column<PodRow> = {
  id: "choose",
  header: "Compare",
  value: (row) => (chosen.has(row.name) ? 0 : 1),
  cell: (row) => <ChooseRow label={`Choose ${row.name}`} id={row.name} chosen={chosen} onChoose={() => undefined} limit={chosen.size} />,
};

/** One row has been deleted, and can still be kept. */
function BeingDeleted() {
  useEffect(() => pendingDeletes.add("fit-worker-2", () => Promise.resolve(), 3_600_000), []);
  return table(7);
}

export const title = "DataTable";
export const stories: Record<string, () => ReactNode> = {
  few: () => table(7),
  "ten thousand": () => table(10_000),
  "a row being deleted": () => <BeingDeleted />,
  "no rows": () => table(0),
  "rows chosen": () => <DataTable label="Pods" rows={rows(5)} columns={[CHOICE, ...COLUMNS]} idOf={(row) => row.name} />,
  "inside a page, few": () => <DataTable inside="pods" label="Pods" rows={rows(4)} columns={COLUMNS} idOf={(row) => row.name} />,
  "inside a card": () => (
    <Card title="Pods">
      <DataTable inside="pods" label="Pods" rows={rows(9)} columns={COLUMNS} idOf={(row) => row.name} facet="state" actions={actions} />
    </Card>
  ),
  "no table": () => (
    <FilteredList inside="pods" rows={rows(9)} columns={COLUMNS} sortable>
      {(shown) => shown.map((row) => <p key={row.name}>{row.name}</p>)}
    </FilteredList>
  ),
  plain: () => <PlainTable label="Pods" rows={rows(4)} columns={COLUMNS} idOf={(row) => row.name} />,
};
