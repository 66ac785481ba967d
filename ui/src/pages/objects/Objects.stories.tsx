import type { ReactNode } from "react";
import type { Printed } from "../../api/discovery";
import { Cached } from "../../gallery/Cached";
import { ago } from "../../gallery/samples";
import { KINDS } from "../../kinds/generated";
import { ObjectTable } from "./ObjectList";
import { ResourceIndex } from "./ResourceIndex";

/** One version of each resource, as discovery prefers one. */
const PREFERRED = [...new Map(Object.values(KINDS).map((one) => [`${one.group}/${one.resource}`, one])).values()];

const COLUMNS: Printed["columns"] = [
  { name: "Name", type: "string", format: "name" },
  { name: "Ready", type: "string" },
  { name: "Status", type: "string" },
  { name: "Age", type: "string" },
];

const list = (count: number) => {
  const names = Array.from({ length: count }, (_, index) => `fit-worker-${index}`);
  const printed = { columns: COLUMNS, cells: new Map(names.map((name, index) => [`ml/${name}`, [name, "1/1", index % 7 === 3 ? "Pending" : "Running", "5m"]])) };
  const objects = names.map((name, index) => ({ metadata: { name, namespace: "ml", uid: name, resourceVersion: "1", creationTimestamp: ago(index * 60) } }));
  return <ObjectTable resource={KINDS.Pod} printed={printed} objects={objects} />;
};

export const title = "Objects pages";
export const stories: Record<string, () => ReactNode> = {
  list: () => list(8),
  "list, empty": () => list(0),
  "list, ten thousand": () => list(10_000),
  kinds: () => (
    <Cached answers={[[["resources"], PREFERRED]]}>
      <ResourceIndex />
    </Cached>
  ),
  "kinds, loading": () => <ResourceIndex />,
};
