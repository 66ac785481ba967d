import { countsOf, lastScheduled, schedulesOf } from "../../kinds/workflows/cronWorkflows";
import type { CronWorkflow } from "../../../../kinds/generated";
import { dig, text } from "../../../../kinds/json";
import { parametersIn, sourceOf } from "../../kinds/workflows/workflows";
import { Card, Facts } from "../../../../parts/card/Card";
import { Columns } from "../../../../parts/page/Page";
import { Time } from "../../../../parts/text/Time";
import { duration } from "../../../../parts/text/times";
import { useSpeech } from "../../../../words";
import { Parameters } from "../runs/RunFacts";
import { SourceLink } from "./SourceLink";

const KEPT = { succeeded: 3, failed: 1 };
const count = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise);

/** When it starts what, what happens when one still runs, and how many are kept. */
export function CronFacts({ cron }: { cron: CronWorkflow }) {
  const { words, language } = useSpeech();
  const own = words.workflows.cron;
  const { spec } = cron;
  const { active, succeeded, failed } = countsOf(cron);
  const deadline = count(dig(spec, "startingDeadlineSeconds"), 0);
  const source = sourceOf({}, dig(spec, "workflowSpec"));
  return (
    <Columns>
      <Card title={words.pipelines.run.parameters}>
        <Parameters values={parametersIn(dig(spec, "workflowSpec", "arguments", "parameters"))} none={words.workflows.noParameters} />
      </Card>
      <Card title={words.pipelines.run.facts}>
        <Facts
          rows={[
            [own.schedule, schedulesOf(cron).map((one) => <div key={one}><code>{one}</code></div>)],
            [own.timezone, text(dig(spec, "timezone"))],
            [words.workflows.source, source && <SourceLink namespace={cron.metadata.namespace ?? ""} source={source} />],
            [own.concurrency, own.policies[text(dig(spec, "concurrencyPolicy")) || "Allow"]],
            [own.deadline, deadline > 0 && duration(deadline, language)],
            [own.kept, own.keptText(count(dig(spec, "successfulJobsHistoryLimit"), KEPT.succeeded), count(dig(spec, "failedJobsHistoryLimit"), KEPT.failed))],
            [own.results, own.counts(active, succeeded, failed)],
            [own.last, lastScheduled(cron) && <Time at={lastScheduled(cron)} />],
            [words.common.namespace, cron.metadata.namespace],
            [words.common.created, <Time key="created" at={cron.metadata.creationTimestamp} />],
          ]}
        />
      </Card>
    </Columns>
  );
}
