import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, deleteVersion } from "../../api/pipelines";
import { useNamespace } from "../../../../api/namespace";
import { rightTo, useRights } from "../../../../api/rights";
import { PATHS, RIGHTS, nameOf, type Pipeline, type PipelineVersion } from "../../kinds/pipelines";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { useUndoableDelete } from "../../../../parts/overlay/useAction";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";

/** The versions of a pipeline, the newest first. */
export function VersionTable({ pipeline, rows }: { pipeline: Pipeline; rows: PipelineVersion[] }) {
  const words = useWords();
  const columns = useMemo(() => columnsOf(words), [words]);
  return (
    <DataTable
      label={words.pipelines.versions}
      rows={rows}
      columns={columns}
      idOf={(row) => row.pipeline_version_id}
      initialSort={{ column: "created", descending: false }}
      actions={(row) => <VersionActions pipeline={pipeline} version={row} />}
    />
  );
}

function columnsOf({ pipelines, common }: Words): Column<PipelineVersion>[] {
  return [
    { id: "name", header: common.name, value: nameOf, cell: (row) => <VersionLink version={row} /> },
    { id: "description", header: pipelines.description, value: (row) => row.description, hide: "medium" },
    { id: "code", header: pipelines.details.code, value: (row) => row.code_source_url, hide: "wide" },
    { id: "created", header: common.age, value: (row) => -Date.parse(row.created_at ?? ""), cell: (row) => <Time at={row.created_at} bare />, align: "right" },
  ];
}

function VersionLink({ version }: { version: PipelineVersion }) {
  return (
    <Link to={PATHS.pipeline(version.pipeline_id)} search={{ version: version.pipeline_version_id }}>
      <Name text={nameOf(version)} />
    </Link>
  );
}

function VersionActions({ pipeline, version }: { pipeline: Pipeline; version: PipelineVersion }) {
  const { pipelines, common } = useWords();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useUndoableDelete();
  const { forNew } = useNamespace();
  const namespace = pipeline.namespace || forNew;
  const missing = useRights(namespace);
  return (
    <ActionMenu
      small
      label={`${common.more}: ${nameOf(version)}`}
      actions={[
        {
          id: "run",
          label: pipelines.details.run,
          icon: "play",
          missing: missing(rightTo("create", RIGHTS.runs, namespace)),
          onAction: () => void navigate({ to: PATHS.newRun, search: { pipeline: pipeline.pipeline_id, version: version.pipeline_version_id } }),
        },
        {
          id: "delete",
          label: pipelines.details.deleteVersion,
          icon: "trash",
          danger: true,
          missing: missing(rightTo("delete", RIGHTS.pipelines, namespace)),
          onAction: () => remove({
              name: nameOf(version),
              id: version.pipeline_version_id,
              remove: () => deleteVersion(pipeline.pipeline_id, version.pipeline_version_id).then(() => queries.invalidateQueries({ queryKey: KEYS.versions(pipeline.pipeline_id) })),
            }),
        },
      ]}
    />
  );
}
