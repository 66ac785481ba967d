import { objectPath } from "../../../../api/discovery";
import type { Live } from "../../../../api/hooks";
import { useNamespace } from "../../../../api/namespace";
import { useMissingToCreate } from "../../../../api/rights";
import { useWorkflowRows } from "../../api/workflows";
import { WORKFLOWS } from "../../kinds/pipelines";
import type { WorkflowRow } from "../../kinds/workflows/workflows";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { Sections } from "../Sections";
import { KindSwitch } from "./KindSwitch";
import { WorkflowTable } from "./WorkflowTable";

/** Workflows of the namespace that are no runs of pipelines. */
export function WorkflowList() {
  const { chosen, forLists } = useNamespace();
  return <WorkflowListView live={useWorkflowRows(chosen === "" ? undefined : forLists)} namespace={forLists} />;
}

export function WorkflowListView({ live, namespace }: { live: Live<WorkflowRow[]>; namespace: string }) {
  const words = useWords().workflows;
  const flag = namespace === "" ? " -A" : ` -n ${namespace}`;
  return (
    <Page
      title={words.title}
      sentence={words.hint}
      full
      actions={
        <>
          <KindSwitch current="workflows" />
          <CommandHint lines={[`kubectl get workflows${flag} -o wide`]} />
          <NewButton />
        </>
      }
    >
      <Sections current="workflows" />
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="pipeline" sentence={words.empty} action={<NewButton />} command={`kubectl create -f workflow.yaml${namespace === "" ? "" : flag}`} />
          ) : (
            <WorkflowTable rows={rows} hasNamespace={namespace === ""} />
          )
        }
      </Loaded>
    </Page>
  );
}

function NewButton() {
  return (
    <ButtonLink to={`${objectPath(WORKFLOWS)}/new`} look="primary" icon="plus" missing={useMissingToCreate(WORKFLOWS)}>
      {useWords().workflows.new}
    </ButtonLink>
  );
}
