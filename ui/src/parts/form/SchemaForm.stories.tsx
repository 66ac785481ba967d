import { useState, type ReactNode } from "react";
import { SchemaForm } from "./SchemaForm";
import type { Schema } from "./schema";

export const title = "Form from a schema";

const SCHEMA: Schema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", description: "Name of the job." },
    backoffLimit: { type: "integer", description: "Number of restarts after which it fails.", default: 6 },
    suspend: { type: "boolean", description: "Whether it is suspended." },
    cleanPodPolicy: { type: "string", enum: ["All", "None", "Running"] },
    args: { type: "array", items: { type: "string" }, description: "One a line." },
    nodeSelector: { type: "object", additionalProperties: { type: "string" } },
    policy: { type: "object", description: "More of it.", properties: { queue: { type: "string" } } },
    replicas: { type: "object", description: "Pods by role.", additionalProperties: { type: "object", properties: { count: { type: "integer" } } } },
    anything: { type: "object", "x-kubernetes-preserve-unknown-fields": true, description: "Any object." },
  },
};

function Edited({ problems = [] }: { problems?: { path: string; message: string }[] }) {
  const [value, setValue] = useState<Record<string, unknown>>({ name: "fit", args: ["--epochs", "3"], replicas: { Worker: { count: 2 } } });
  const set = (path: (string | number)[], next: unknown) => setValue((before) => ({ ...before, [String(path[1])]: next }));
  return <SchemaForm schema={SCHEMA} components={{}} value={value} path={["spec"]} problems={problems} onSet={set} />;
}

export const stories: Record<string, () => ReactNode> = {
  fields: () => <Edited />,
  "refused by the server": () => <Edited problems={[{ path: "spec.backoffLimit", message: "must be of type integer" }]} />,
};
