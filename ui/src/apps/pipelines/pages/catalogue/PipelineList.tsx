import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, deletePipeline, usePipelines } from "../../api/pipelines";
import type { Live } from "../../../../api/hooks";
import { useNamespace } from "../../../../api/namespace";
import { rightTo, useMissingToCreate, useRights } from "../../../../api/rights";
import { PATHS, RIGHTS, nameOf, type Pipeline } from "../../kinds/pipelines";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { ActionMenu, type Action } from "../../../../parts/overlay/ActionMenu";
import { useUndoableDelete } from "../../../../parts/overlay/useAction";
import { Page } from "../../../../parts/page/Page";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import { Sections } from "../Sections";

/** Uploaded pipelines: those of the namespace, and those that all share. */
export function PipelineList() {
  return <PipelineListView live={usePipelines()} hasNamespace={useNamespace().forLists === ""} />;
}

export function PipelineListView({ live, hasNamespace }: { live: Live<Pipeline[]>; hasNamespace: boolean }) {
  const words = useWords();
  const own = words.pipelines;
  const columns = useMemo(() => columnsOf(words, hasNamespace), [words, hasNamespace]);
  return (
    <Page title={own.sections.pipelines} full actions={<UploadButton />}>
      <Sections current="pipelines" />
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="pipeline" sentence={own.emptyPipelines} action={<UploadButton />} command="kfp pipeline create --pipeline-name train pipeline.yaml" />
          ) : (
            <DataTable
              label={own.sections.pipelines}
              rows={rows}
              columns={columns}
              idOf={(row) => row.pipeline_id}
              initialSort={{ column: "created", descending: false }}
              hasMenu
              actions={(row) => <RowActions pipeline={row} />}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

export function UploadButton() {
  return (
    <ButtonLink to={PATHS.upload} look="primary" icon="upload" missing={useMissingToCreate(RIGHTS.pipelines)}>
      {useWords().pipelines.upload}
    </ButtonLink>
  );
}

function columnsOf({ pipelines, common }: Words, hasNamespace: boolean): Column<Pipeline>[] {
  const namespace: Column<Pipeline> = { id: "namespace", header: common.namespace, value: (row) => row.namespace || pipelines.shared, hide: "medium" };
  return [
    { id: "name", header: common.name, value: nameOf, cell: (row) => <PipelineLink pipeline={row} /> },
    ...(hasNamespace ? [namespace] : []),
    { id: "description", header: pipelines.description, value: (row) => row.description, hide: "medium" },
    { id: "visibility", header: pipelines.uploading.visibility, value: (row) => (row.namespace ? row.namespace : pipelines.shared), hide: "wide" },
    { id: "created", header: common.age, value: (row) => -Date.parse(row.created_at ?? ""), cell: (row) => <Time at={row.created_at} bare />, align: "right" },
  ];
}

function PipelineLink({ pipeline }: { pipeline: Pipeline }) {
  return (
    <Link to={PATHS.pipeline(pipeline.pipeline_id)}>
      <Name text={nameOf(pipeline)} />
    </Link>
  );
}

function RowActions({ pipeline }: { pipeline: Pipeline }) {
  return <ActionMenu small actions={usePipelineActions(pipeline)} label={`${useWords().common.more}: ${nameOf(pipeline)}`} />;
}

export function usePipelineActions(pipeline: Pipeline, onDelete?: () => void): Action[] {
  const { pipelines, common } = useWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useUndoableDelete();
  const { forNew } = useNamespace();
  const namespace = pipeline.namespace || forNew;
  const missing = useRights(namespace);
  return [
    {
      id: "run",
      label: pipelines.details.run,
      icon: "play",
      missing: missing(rightTo("create", RIGHTS.runs, namespace)),
      onAction: () => void navigate({ to: PATHS.newRun, search: { pipeline: pipeline.pipeline_id } }),
    },
    {
      id: "version",
      label: pipelines.details.newVersion,
      icon: "upload",
      missing: missing(rightTo("update", RIGHTS.pipelines, namespace)),
      onAction: () => void navigate({ to: PATHS.upload, search: { pipeline: pipeline.pipeline_id } }),
    },
    {
      id: "delete",
      label: common.delete,
      icon: "trash",
      danger: true,
      missing: missing(rightTo("delete", RIGHTS.pipelines, namespace)),
      onAction: () => {
        remove({
          name: nameOf(pipeline),
          id: pipeline.pipeline_id,
          remove: () => deletePipeline(pipeline.pipeline_id).then(() => queries.invalidateQueries({ queryKey: KEYS.pipelines })),
        });
        onDelete?.();
      },
    },
  ];
}
