import { useParams } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { useObject } from "../../../../api/hooks";
import type { Workflow } from "../../../../kinds/generated";
import { WORKFLOWS } from "../../kinds/pipelines";
import { WORKFLOW_PATHS } from "../../kinds/workflows/workflows";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { WorkflowPage } from "./WorkflowPage";

/** A Workflow: is it running, if not why, which of its steps, and what they printed and put out. */
export function WorkflowDetails() {
  const words = useWords().workflows;
  const { namespace = "", name = "" }: { namespace?: string; name?: string } = useParams({ strict: false });
  const object = useObject<Workflow>(WORKFLOWS, namespace, name);
  // Deferred: a large Workflow is drawn between the frames of whatever moves on the page.
  const data = useDeferredValue(object.data);
  const live = useMemo(() => ({ ...object, data }), [object, data]);
  if (data) return <Loaded live={{ ...live, data }}>{(workflow) => <WorkflowPage workflow={workflow} />}</Loaded>;
  return (
    <Page title={name} parent={{ to: WORKFLOW_PATHS.workflows, label: words.title }}>
      <Loaded live={live}>{() => <EmptyState icon="pipeline" sentence={words.gone} action={<ButtonLink to={WORKFLOW_PATHS.workflows}>{words.title}</ButtonLink>} />}</Loaded>
    </Page>
  );
}
