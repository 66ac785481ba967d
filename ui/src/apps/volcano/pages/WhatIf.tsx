import { useState } from "react";
import { useNamespace } from "../../../api/namespace";
import { whatIf, type Change } from "../api/queues";
import { useSession } from "../../../api/session";
import { whatIfCommand } from "../kinds/queueCommands";
import type { QueuesView, WhatIfView } from "../../../kinds/generated";
import { Button } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { CommandHint } from "../../../parts/command/CommandHint";
import { ButtonRow } from "../../../parts/form/Form";
import { useAction } from "../../../parts/overlay/useAction";
import { Stack } from "../../../parts/page/Page";
import { useWords } from "../../../words";
import { Outcomes } from "./Outcomes";
import { ManifestField, NodeFields, WeightFields } from "./WhatIfFields";
import styles from "./queues.module.css";

const isChange = ({ weights, nodes, removeNodes, manifest }: Change): boolean =>
  nodes > 0 || Object.keys(weights).length > 0 || (removeNodes ?? []).length > 0 || (manifest ?? "").trim() !== "";

/** A change that the simulator tries: other weights, nodes that come or go, a job that is added. */
export function WhatIf({ view }: { view: QueuesView }) {
  const words = useWords().queues;
  const { busy, run } = useAction();
  const { forNew } = useNamespace();
  const { data: session } = useSession();
  const [draft, setDraft] = useState<Change>({ weights: {}, nodes: 0, like: "" });
  const [answer, setAnswer] = useState<WhatIfView>();
  const change = { ...draft, like: draft.like || (view.nodes[0]?.name ?? ""), namespace: forNew };
  const edit = (more: Partial<Change>) => setDraft((before) => ({ ...before, ...more }));
  return (
    <Card title={words.whatIf} aside={<CommandHint lines={[whatIfCommand(location.origin, session?.user ?? "", change)]} />}>
      <Stack>
        <p className={styles.quiet}>{words.whatIfText}</p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isChange(change)) void run(async () => setAnswer(await whatIf(change)));
          }}
        >
          <Stack>
            <WeightFields view={view} change={change} onChange={edit} />
            <NodeFields view={view} change={change} onChange={edit} />
            <ManifestField change={change} onChange={edit} />
            <ButtonRow>
              <Button label={words.simulate} type="submit" busy={busy} icon="play" disabledReason={isChange(change) ? undefined : words.noChange} />
            </ButtonRow>
          </Stack>
        </form>
        {answer && <Outcomes answer={answer} />}
      </Stack>
    </Card>
  );
}
