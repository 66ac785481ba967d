import { Link } from "@tanstack/react-router";
import { objectPath } from "../../../../api/discovery";
import { KINDS } from "../../../../kinds/generated";
import { WORKFLOW_PATHS, type Source } from "../../kinds/workflows/workflows";
import { Name } from "../../../../parts/text/Name";

/** To what a Workflow was made from: a schedule, a template, or the Workflow that was submitted again. */
export function SourceLink({ namespace, source }: { namespace: string; source: Source | undefined }) {
  if (source === undefined) return "–";
  return (
    <Link to={pathOf(namespace, source)} title={`${source.kind} ${source.name}`}>
      <Name text={source.name} />
    </Link>
  );
}

function pathOf(namespace: string, { kind, name }: Source): string {
  if (kind === "CronWorkflow") return WORKFLOW_PATHS.cron({ namespace, name });
  if (kind === "Workflow") return WORKFLOW_PATHS.workflow({ namespace, name });
  return objectPath(KINDS[kind], { namespace: KINDS[kind].namespaced ? namespace : "", name });
}
