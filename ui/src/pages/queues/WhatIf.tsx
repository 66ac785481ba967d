import { useState } from "react";
import { whatIf } from "../../api/queues";
import { useSession } from "../../api/session";
import { whatIfCommand } from "../../kinds/commands";
import type { Outcome, QueuesView, WhatIfView } from "../../kinds/generated";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { CommandHint } from "../../parts/command/CommandHint";
import { NumberInput } from "../../parts/field/NumberInput";
import { useAction } from "../../parts/overlay/useAction";
import { Stack } from "../../parts/page/Page";
import { duration } from "../../parts/text/times";
import { useSpeech, useWords } from "../../words";
import styles from "./queues.module.css";

/** A change that the simulator tries: other weights, more nodes. */
export function WhatIf({ view }: { view: QueuesView }) {
  const words = useWords().queues;
  const { busy, run } = useAction();
  const [weights, setWeights] = useState<Record<string, number>>({});
  const [nodes, setNodes] = useState(0);
  const [answer, setAnswer] = useState<WhatIfView>();
  const changed = nodes > 0 || Object.keys(weights).length > 0;
  const { data: session } = useSession();
  const change = { weights, nodes, like: view.nodes[0]?.name ?? "" };
  const ask = () => run(async () => setAnswer(await whatIf(change)));
  return (
    <Card title={words.whatIf} aside={<CommandHint lines={[whatIfCommand(location.origin, session?.user ?? "", change)]} />}>
      <Stack>
        <p className={styles.quiet}>{words.whatIfText}</p>
        <form
          className={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (changed) void ask();
          }}
        >
          {view.queues
            .filter((queue) => queue.name !== "root")
            .map((queue) => (
              <NumberInput
                key={queue.name}
                label={words.newWeight(queue.name)}
                min={1}
                value={weights[queue.name] ?? queue.weight}
                onChange={(weight) => setWeights((before) => ({ ...before, [queue.name]: weight }))}
              />
            ))}
          <NumberInput label={words.addNodes} min={0} max={100} value={nodes} onChange={setNodes} />
          <Button label={words.simulate} type="submit" busy={busy} icon="play" />
        </form>
        {answer && <Outcomes answer={answer} />}
      </Stack>
    </Card>
  );
}

export function Outcomes({ answer }: { answer: WhatIfView }) {
  const { words, language } = useSpeech();
  const time = (seconds: number | null) => (seconds === null ? "–" : duration(seconds, language));
  const rows: [string, (outcome: Outcome) => string][] = [
    [words.queues.meanWait, (outcome) => time(outcome.meanWaitSeconds)],
    [words.queues.makespan, (outcome) => time(outcome.makespanSeconds)],
    [words.queues.never, (outcome) => String(outcome.never)],
  ];
  return (
    <div role="status">
      <div className={styles.outcome}>
        <span />
        <span className={styles.quiet}>{words.queues.before}</span>
        <span className={styles.quiet}>{words.queues.after}</span>
        {rows.map(([label, text]) => [
          <span key={label}>{label}</span>,
          <span key={`${label} before`}>{text(answer.before)}</span>,
          <strong key={`${label} after`}>{text(answer.after)}</strong>,
        ])}
      </div>
      <p className={styles.quiet}>{[...answer.assumptions, ...answer.notes].join(" ")}</p>
    </div>
  );
}
