import { useMemo } from "react";
import { useView } from "../../../api/hooks";
import type { QueueRow, QueuesView, TimelineView } from "../../../kinds/generated";
import { Card } from "../../../parts/card/Card";
import { CommandHint } from "../../../parts/command/CommandHint";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Page, Stack } from "../../../parts/page/Page";
import type { Column } from "../../../parts/table/columns";
import { FilteredList } from "../../../parts/table/FilteredList";
import { useWords, type Words } from "../../../words";
import { Nodes } from "./Nodes";
import { QueueLegend } from "./QueueBar";
import { QueueTree } from "./QueueTree";
import { waitingCount } from "./scale";
import { TimelineCard } from "./TimelineCard";
import { Waiting } from "./Waiting";
import { WhatIf } from "./WhatIf";

const MAIN_RESOURCES = 3;

/** Who may use how much, who does, what waits and why, and what would change it. */
export function QueueList() {
  const words = useWords().queues;
  const queues = useView<QueuesView>("queues", {});
  const timeline = useView<TimelineView>("timeline", {});
  return (
    <Page
      title={words.title}
      sentence={queues.data && words.sentence(queues.data.queues.length, waitingCount(queues.data.queues))}
      actions={<CommandHint lines={["windlass queue list", "kubectl get queues.scheduling.volcano.sh"]} />}
    >
      <Loaded live={queues}>
        {(view) => (
          <Stack>
            <QueueCards view={view} />
            <TimelineCard timeline={timeline} />
            <WhatIf view={view} />
            <Nodes nodes={view.nodes} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}

export function QueueCards({ view }: { view: QueuesView }) {
  const all = useWords();
  const words = all.queues;
  const columns = useMemo(() => columnsOf(all), [all]);
  if (view.queues.length === 0) {
    return <EmptyState icon="queues" sentence={words.empty} command="windlass queue create research --weight 2" />;
  }
  return (
    <Stack>
      <Card title={words.share} aside={<QueueLegend />} flush>
        <FilteredList inside="queues" rows={view.queues} columns={columns} facet="state">
          {(shown) => <QueueTree queues={shown} nodes={view.nodes} resources={view.resources.slice(0, MAIN_RESOURCES)} />}
        </FilteredList>
      </Card>
      {view.queues.map((queue) => (
        <Waiting key={queue.name} queue={queue} />
      ))}
    </Stack>
  );
}

/** By which the tree is filtered. */
const columnsOf = ({ common, queues }: Words): Column<QueueRow>[] => [
  { id: "name", header: common.name, value: (queue) => queue.name },
  { id: "parent", header: queues.parent, value: (queue) => queue.parent },
  { id: "state", header: common.state, value: (queue) => queue.state, word: (queue) => queues.states[queue.state] ?? queue.state },
];
