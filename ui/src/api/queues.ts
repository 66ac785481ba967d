/** The simulator's answers, and changes to queues. */
import { whatIfBody } from "../kinds/commands";
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
  post<WhatIfView>("/api/what-if", whatIfBody(change));

export const setWeight = (queue: QueueRow, weight: number): Promise<unknown> =>
  patchObject(KINDS.Queue, { namespace: "", name: queue.name }, { spec: { weight } });
