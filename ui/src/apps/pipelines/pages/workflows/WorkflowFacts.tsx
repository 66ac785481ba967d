import type { Workflow } from "../../../../kinds/generated";
import { dig, text } from "../../../../kinds/json";
import { resolvedSpec } from "../../kinds/workflows/workflowSpec";
import { parametersIn, sourceOf, type WorkflowRow } from "../../kinds/workflows/workflows";
import { Card, Facts } from "../../../../parts/card/Card";
import { Columns, Stack } from "../../../../parts/page/Page";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import { Parameters } from "../runs/RunFacts";
import { SourceLink } from "./SourceLink";

/** What it was given, what it put out as a whole, and where it comes from. */
export function WorkflowFacts({ workflow, row }: { workflow: Workflow; row: WorkflowRow }) {
  const { pipelines, common, workflows: words } = useWords();
  const spec = resolvedSpec(workflow);
  const source = sourceOf(row.labels, workflow.spec);
  const outputs = parametersIn(dig(workflow.status, "outputs", "parameters"));
  return (
    <Columns>
      <Stack>
        <Card title={pipelines.run.parameters}>
          <Parameters values={parametersIn(dig(spec, "arguments", "parameters"))} none={words.noParameters} />
        </Card>
        {Object.keys(outputs).length > 0 && (
          <Card title={words.outputs}>
            <Parameters values={outputs} />
          </Card>
        )}
      </Stack>
      <Card title={pipelines.run.facts}>
        <Facts
          rows={[
            [common.namespace, row.namespace],
            [words.source, source && <SourceLink namespace={row.namespace} source={source} />],
            [words.entrypoint, text(spec["entrypoint"]) && <code>{text(spec["entrypoint"])}</code>],
            [words.account, text(spec["serviceAccountName"])],
            [words.progress, row.progress],
            [common.created, <Time key="created" at={row.created} />],
            [pipelines.started, row.started && <Time at={row.started} />],
            [pipelines.finished, row.finished && <Time at={row.finished} />],
          ]}
        />
      </Card>
    </Columns>
  );
}
