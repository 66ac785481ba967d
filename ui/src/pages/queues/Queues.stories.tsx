import type { ReactNode } from "react";
import { failed, forbidden, live, loading } from "../../gallery/live";
import { MANY_QUEUES, QUEUES, timeline } from "../../gallery/samples";
import type { Live } from "../../api/hooks";
import type { QueuesView } from "../../kinds/generated";
import { Card } from "../../parts/card/Card";
import { Loaded } from "../../parts/feedback/Loaded";
import { Nodes } from "./Nodes";
import { QueueLegend } from "./QueueBar";
import { QueueCards } from "./QueueList";
import { QueueTree } from "./QueueTree";
import { TimelineCard } from "./TimelineCard";
import { WhatIf } from "./WhatIf";

const page = (queues: Live<QueuesView>) => <Loaded live={queues}>{(view) => <QueueCards view={view} />}</Loaded>;

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
};
