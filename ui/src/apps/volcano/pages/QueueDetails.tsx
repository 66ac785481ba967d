import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useView } from "../../../api/hooks";
import { setWeight } from "../api/queues";
import { rightTo, useRights } from "../../../api/rights";
import { weightCommand } from "../kinds/queueCommands";
import { KINDS, type QueueRow, type QueuesView } from "../../../kinds/generated";
import { NotFound } from "../../../pages/NotFound";
import { Button } from "../../../parts/button/Button";
import { Card, Facts } from "../../../parts/card/Card";
import { CommandHint, CommandLines } from "../../../parts/command/CommandHint";
import { Loaded } from "../../../parts/feedback/Loaded";
import { NumberInput } from "../../../parts/field/NumberInput";
import { DialogBox } from "../../../parts/overlay/DialogBox";
import { useAction } from "../../../parts/overlay/useAction";
import { Columns, Page, Stack } from "../../../parts/page/Page";
import { Pill } from "../../../parts/pill/Pill";
import { useWords } from "../../../words";
import { QueueTree } from "./QueueTree";
import { Waiting } from "./Waiting";

/** One queue: its share, its children, and what waits in it. */
export function QueueDetails() {
  const { name }: { name?: string } = useParams({ strict: false });
  const queues = useView<QueuesView>("queues", {});
  return (
    <Loaded live={queues}>
      {(view) => {
        const queue = view.queues.find((one) => one.name === name);
        return queue === undefined ? <NotFound /> : <QueuePage queue={queue} view={view} />;
      }}
    </Loaded>
  );
}

function QueuePage({ queue, view }: { queue: QueueRow; view: QueuesView }) {
  const words = useWords();
  const family = view.queues.filter((one) => one.name === queue.name || one.parent === queue.name);
  return (
    <Page
      title={queue.name}
      isName
      parent={{ to: "/queues/", label: words.queues.title }}
      badge={<Pill state={queue.state === "Open" ? "running" : "stopped"} label={words.queues.states[queue.state] ?? queue.state} />}
      actions={
        <>
          <EditWeight queue={queue} />
          <CommandHint lines={[`windlass queue show ${queue.name}`, weightCommand(queue.name, queue.weight), `windlass queue ${queue.state === "Open" ? "close" : "open"} ${queue.name}`]} />
        </>
      }
    >
      <Columns>
        <Stack>
          <Card title={words.queues.share} flush>
            <QueueTree queues={family.map((one) => ({ ...one, depth: one.name === queue.name ? 0 : 1 }))} nodes={view.nodes} resources={view.resources} />
          </Card>
          <Waiting queue={queue} />
        </Stack>
        <Card title={words.common.overview}>
          <Facts
            rows={[
              [words.queues.weight, queue.weight],
              [words.queues.parent, queue.parent],
              [words.queues.running, queue.running],
              [words.queues.waiting, queue.pending + queue.inqueue],
            ]}
          />
        </Card>
      </Columns>
    </Page>
  );
}

function EditWeight({ queue }: { queue: QueueRow }) {
  const words = useWords();
  const missing = useRights("default")(rightTo("patch", KINDS.Queue, "", queue.name));
  const { busy, run } = useAction({ kind: KINDS.Queue.kind, namespace: "", name: queue.name });
  const [weight, setNew] = useState<number>();
  return (
    <>
      <Button label={words.queues.editWeight} icon="edit" missing={missing} onPress={() => setNew(queue.weight)} />
      <DialogBox
        title={words.queues.newWeight(queue.name)}
        isOpen={weight !== undefined}
        onClose={() => setNew(undefined)}
        actions={
          <Button
            label={words.common.save}
            look="primary"
            busy={busy}
            onPress={() =>
              void run(() => setWeight(queue, weight ?? queue.weight), words.queues.weightSaved(queue.name)).then((saved) => saved && setNew(undefined))
            }
          />
        }
      >
        <NumberInput label={words.queues.weight} min={1} value={weight ?? queue.weight} onChange={setNew} />
        <CommandLines lines={[weightCommand(queue.name, weight ?? queue.weight)]} />
      </DialogBox>
    </>
  );
}
