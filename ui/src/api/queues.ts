/** The simulator's answers, and changes to queues. */
import type { QueueRow, WhatIfView } from "../kinds/generated";
import { KINDS } from "../kinds/generated";
import { post } from "./client";
import { patchObject } from "./k8s";

export interface Change {
  weights: Record<string, number>;
  nodes: number;
  like: string;
}

export const whatIf = (change: Change): Promise<WhatIfView> =>
  post<WhatIfView>("/api/what-if", {
    queues: Object.entries(change.weights).map(([name, weight]) => ({ name, weight })),
    nodes: change.nodes > 0 ? { count: change.nodes, like: change.like } : null,
  });

export const setWeight = (queue: QueueRow, weight: number): Promise<unknown> =>
  patchObject(KINDS.Queue, { namespace: "", name: queue.name }, { spec: { weight } });
