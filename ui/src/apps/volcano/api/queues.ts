/** The simulator's answers, and changes to queues. */
import { whatIfBody } from "../kinds/queueCommands";
import { type QueueRow, type WhatIfView, KINDS } from "../../../kinds/generated";
import { post } from "../../../api/client";
import { patchObject } from "../../../api/k8s";

export interface Change {
  weights: Record<string, number>;
  /** How many more, and which node they are like; with `allocatable` other amounts than that one has. */
  nodes: number;
  like: string;
  allocatable?: Record<string, string>;
  removeNodes?: string[];
  /** A job that is added, as YAML, and the namespace for what names none. */
  manifest?: string;
  namespace?: string;
}

export const whatIf = (change: Change): Promise<WhatIfView> =>
  post<WhatIfView>("/api/what-if", whatIfBody(change));

export const setWeight = (queue: QueueRow, weight: number): Promise<unknown> =>
  patchObject(KINDS.Queue, { namespace: "", name: queue.name }, { spec: { weight } });
