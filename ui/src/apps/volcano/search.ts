/** Queues in the palette. */
import { useView } from "../../api/hooks";
import type { QueueRow, QueuesView } from "../../kinds/generated";
import { useWords, type Words } from "../../words";
import type { AppSearch, FoundObject } from "../app";

export const foundQueues = (words: Words, queues: Pick<QueueRow, "name">[]): FoundObject[] =>
  queues.map(({ name }) => ({ id: `Queue/${name}`, label: name, detail: words.queues.found, icon: "queues", to: `/queues/${name}` }));

const WHOLE_CLUSTER = {};

export const QUEUE_SEARCH: AppSearch = {
  useObjects: () => foundQueues(useWords(), useView<QueuesView>("queues", WHOLE_CLUSTER).data?.queues ?? []),
};
