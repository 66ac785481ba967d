import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, useLive, usePipeline, useRefresh, useRuns, useVersion, useVersions } from "../../api/pipelines";
import type { Live } from "../../../../api/hooks";
import { PATHS, WORKFLOWS, nameOf, type Experiment, type Pipeline, type PipelineVersion, type Run } from "../../kinds/pipelines";
import { staticGraph } from "../../kinds/graph/pipelinesGraph";
import { readSpec } from "../../kinds/graph/pipelinesSpec";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Choice } from "../../../../parts/field/Choice";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Page, Stack } from "../../../../parts/page/Page";
import { PageTabs } from "../../../../parts/page/PageTabs";
import { useWords } from "../../../../words";
import { GraphView } from "../tasks/GraphView";
import { RunGridCard } from "../runs/PastRuns";
import { usePipelineActions } from "./PipelineList";
import { NewRunButton, useExperimentsById } from "../runs/RunList";
import { RunTable } from "../runs/RunTable";
import { SpecYaml } from "./SpecYaml";
import { VersionTable } from "./VersionTable";

/** A pipeline: its graph as one version defines it, its runs, its versions. */
export function PipelineDetails() {
  const words = useWords().pipelines;
  const { id = "" }: { id?: string } = useParams({ strict: false });
  const search: { version?: string } = useSearch({ strict: false });
  const query = usePipeline(id);
  const live = useLive(query, query.data);
  const versions = useVersions(id);
  const listed = versions.data?.find((version) => version.pipeline_version_id === search.version) ?? (search.version === undefined ? versions.data?.[0] : undefined);
  const wanted = listed?.pipeline_version_id ?? search.version ?? "";
  // A list may leave the specification out.
  const read = useVersion(id, listed?.pipeline_spec === undefined ? wanted : "").data;
  const namespace = query.data?.namespace ?? "";
  useRefresh(namespace === "" ? undefined : WORKFLOWS, { namespace }, KEYS.runs);
  const runs = useRuns();
  const own = useMemo(() => ({ ...runs, data: runs.data?.filter((run) => run.pipeline_version_reference?.pipeline_id === id) }), [runs, id]);
  const experiments = useExperimentsById();
  if (live.data !== undefined) {
    return <Loaded live={live}>{(pipeline) => <PipelinePage pipeline={pipeline} versions={versions} version={listed?.pipeline_spec === undefined ? (read ?? listed) : listed} runs={own} experiments={experiments} />}</Loaded>;
  }
  return (
    <Page title={words.pipeline} parent={{ to: PATHS.pipelines, label: words.sections.pipelines }}>
      {live.problem?.status === 404 ? (
        <EmptyState icon="pipeline" sentence={words.details.gone} action={<ButtonLink to={PATHS.pipelines}>{words.sections.pipelines}</ButtonLink>} />
      ) : (
        <Loaded live={live}>{() => null}</Loaded>
      )}
    </Page>
  );
}

interface PipelinePageProps {
  pipeline: Pipeline;
  versions: Live<PipelineVersion[]>;
  /** The one that is shown. */
  version: PipelineVersion | undefined;
  runs: Live<Run[]>;
  experiments: ReadonlyMap<string, Experiment>;
}

export function PipelinePage({ pipeline, versions, version, runs, experiments }: PipelinePageProps) {
  const words = useWords().pipelines;
  const navigate = useNavigate();
  const actions = usePipelineActions(pipeline, () => void navigate({ to: PATHS.pipelines }));
  const spec = version?.pipeline_spec;
  const nodes = useMemo(() => staticGraph(readSpec(spec)?.steps ?? []), [spec]);
  const name = nameOf(pipeline);
  const newRun = { pipeline: pipeline.pipeline_id, ...(version === undefined ? {} : { version: version.pipeline_version_id }) };
  const graph = () =>
    versions.data?.length === 0 ? (
      <EmptyState icon="pipeline" sentence={words.details.noVersions} action={<ButtonLink to={PATHS.upload} search={{ pipeline: pipeline.pipeline_id }} missing={actions.find((action) => action.id === "version")?.missing}>{words.details.newVersion}</ButtonLink>} />
    ) : (
      <GraphView nodes={nodes} name={name} namespace={pipeline.namespace ?? ""} isSpecKnown={spec !== undefined || (versions.data !== undefined && version !== undefined)} empty={words.graph.empty} />
    );
  return (
    <Page
      title={name}
      isName
      sentence={pipeline.description ?? ""}
      parent={{ to: PATHS.pipelines, label: words.sections.pipelines }}
      full
      actions={
        <>
          <VersionChoice versions={versions.data ?? []} chosen={version} />
          <NewRunButton search={newRun} />
          <CommandHint lines={[`kfp --endpoint ${location.origin}/pipeline pipeline get ${pipeline.pipeline_id}`]} />
          <ActionMenu actions={actions} />
        </>
      }
    >
      <PageTabs
        label={name}
        tabs={[
          { id: "graph", label: words.details.graph, content: graph },
          {
            id: "runs",
            label: words.details.runs,
            content: () => (
              <Loaded live={runs}>
                {(rows) =>
                  rows.length === 0 ? (
                    <EmptyState icon="pipeline" sentence={words.runs.empty} action={<NewRunButton search={newRun} />} />
                  ) : (
                    <Stack>
                      <RunGridCard runs={rows} />
                      <RunTable rows={rows} experiments={experiments} />
                    </Stack>
                  )
                }
              </Loaded>
            ),
          },
          { id: "versions", label: words.details.versions, content: () => <Loaded live={versions}>{(rows) => <VersionTable pipeline={pipeline} rows={rows} />}</Loaded> },
          { id: "yaml", label: words.details.yaml, content: () => <SpecYaml spec={spec} label={name} /> },
        ]}
      />
    </Page>
  );
}

function VersionChoice({ versions, chosen }: { versions: PipelineVersion[]; chosen: PipelineVersion | undefined }) {
  const words = useWords().pipelines;
  const navigate = useNavigate();
  if (versions.length < 2) return null;
  return (
    <Choice
      label={words.version}
      hideLabel
      value={chosen?.pipeline_version_id ?? ""}
      options={versions.map((version) => ({ value: version.pipeline_version_id, label: nameOf(version) }))}
      onChange={(version) => void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, version, node: undefined }) })}
    />
  );
}
