/** How a queue's amounts are drawn on one scale. Pure. */
import type { NodeRow, QueueResource, QueueRow } from "../../../kinds/generated";

export interface BarShape {
  /** Fractions of the width, 0 to 1. */
  used: number;
  borrowed: number;
  lent: number;
  deserved: number | undefined;
  guarantee: number | undefined;
  limit: number | undefined;
}

/** What the nodes have of a resource, or the largest amount that any queue shows of it: all bars have this scale, so that an empty bar means room. */
export function scaleOf(queues: QueueRow[], nodes: NodeRow[], resource: string): number {
  const total = nodes
    .flatMap((node) => node.resources)
    .filter((one) => one.resource === resource)
    .reduce((sum, one) => sum + one.allocatable.value, 0);
  const amounts = queues
    .flatMap((queue) => queue.resources)
    .filter((one) => one.resource === resource)
    .flatMap((one) => [one.allocated.value, one.deserved?.value ?? 0, one.guarantee?.value ?? 0, one.capability?.value ?? 0]);
  return Math.max(total, ...amounts);
}

export function shapeOf(resource: QueueResource, scale: number): BarShape {
  const part = (value: number) => (scale <= 0 ? 0 : Math.min(1, Math.max(0, value / scale)));
  const borrowed = part(resource.borrowed.value);
  return {
    used: Math.max(0, part(resource.allocated.value) - borrowed),
    borrowed,
    lent: part(resource.lent.value),
    deserved: resource.deserved ? part(resource.deserved.value) : undefined,
    guarantee: resource.guarantee ? part(resource.guarantee.value) : undefined,
    limit: resource.capability ? part(resource.capability.value) : undefined,
  };
}

export const waitingCount = (queues: QueueRow[]): number =>
  queues.reduce((sum, queue) => sum + queue.waiting.length + queue.hiddenWaiting, 0);
