import type { ReactNode } from "react";
import type { ClusterUse } from "../../api/usage";
import type { MetricPoint } from "../../kinds/generated";
import { UsageCard } from "./Usage";

const BEGIN = 1_700_000_000;

const points = (label: string, level: number): MetricPoint[] =>
  Array.from({ length: 90 }, (_, index) => ({ label, timestamp: BEGIN + index * 10, value: level * (0.75 + 0.25 * Math.sin(index * level * 3)) }));

export const USE: ClusterUse = {
  nodes: [...points("node-1", 0.7), ...points("node-2", 0.2)],
  pods: [...points("ml/bert-worker-0", 1.4), ...points("ml/bert-worker-1", 1.2), ...points("ml/first-0", 0.05)],
};

const many = Array.from({ length: 8 }, (_, index) => points(`team-${index % 3}/a-worker-with-a-rather-long-name-${index}`, 0.3 + index / 5)).flat();
const failure = new Error("The API server does not answer: connection refused at 127.0.0.1:6443.");

export const title = "CPU on the home page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => <UsageCard use={USE} error={null} />,
  "of many namespaces": () => <UsageCard use={{ ...USE, pods: many }} error={null} />,
  "no pods": () => <UsageCard use={{ ...USE, pods: [] }} error={null} />,
  collecting: () => <UsageCard use={{ nodes: USE.nodes.slice(0, 1), pods: USE.pods.slice(0, 1) }} error={null} />,
  loading: () => <UsageCard use={undefined} error={null} />,
  failed: () => <UsageCard use={undefined} error={failure} />,
  "failed later": () => <UsageCard use={USE} error={failure} />,
};
