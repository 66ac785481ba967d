import type { ReactNode } from "react";
import { failed, forbidden, live, loading } from "../../../gallery/live";
import { MANY_QUEUES, QUEUES, timeline } from "../samples";
import type { Live } from "../../../api/hooks";
import type { GangOutcome, QueuesView, WhatIfView } from "../../../kinds/generated";
import { Card } from "../../../parts/card/Card";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Nodes } from "./Nodes";
import { Outcomes } from "./Outcomes";
import { QueueLegend } from "./QueueBar";
import { QueueCards } from "./QueueList";
import { QueueTree } from "./QueueTree";
import { TimelineCard } from "./TimelineCard";
import { WhatIf } from "./WhatIf";

const page = (queues: Live<QueuesView>) => <Loaded live={queues}>{(view) => <QueueCards view={view} />}</Loaded>;

const gang = (name: string, beforeSeconds: number | null, afterSeconds: number | null): GangOutcome => ({ namespace: "ml", name: `podgroup-${name}`, kind: "PyTorchJob", job: name, queue: "research", beforeSeconds, afterSeconds });
const ANSWER: WhatIfView = {
  before: { makespanSeconds: 7_200, meanWaitSeconds: 2_400, started: 3, never: 1 },
  after: { makespanSeconds: 3_600, meanWaitSeconds: 900, started: 4, never: 0 },
  gangs: [gang("bert", 3_600, 0), gang("gpt2", null, 1_200), gang("resnet", 60, 60), gang("vit", 30, null)],
  assumptions: [{ code: "RunForever", count: 3, subject: "", text: "3 pods are taken to run for ever: nothing is known of how long they take" }],
  isComplete: false,
};

export const title = "Queues page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => page(live(QUEUES)),
  empty: () => page(live({ queues: [], nodes: [], resources: [] })),
  "many queues, many waiting": () => page(live(MANY_QUEUES)),
  loading: () => page(loading()),
  failed: () => page(failed(QUEUES)),
  forbidden: () => page(forbidden()),
  tree: () => (
    <Card title="Shares" aside={<QueueLegend />} flush>
      <QueueTree queues={QUEUES.queues} nodes={QUEUES.nodes} resources={QUEUES.resources} />
    </Card>
  ),
  "timeline": () => <TimelineCard timeline={live(timeline(9))} />,
  "timeline, many gangs": () => <TimelineCard timeline={live(timeline(300))} />,
  "timeline, empty": () => <TimelineCard timeline={live(timeline(0))} />,
  "timeline, loading": () => <TimelineCard timeline={loading()} />,
  nodes: () => <Nodes nodes={QUEUES.nodes} />,
  "what if": () => <WhatIf view={QUEUES} />,
  "what if, without nodes": () => <WhatIf view={{ ...QUEUES, nodes: [] }} />,
  "what would happen": () => <Outcomes answer={ANSWER} />,
};
