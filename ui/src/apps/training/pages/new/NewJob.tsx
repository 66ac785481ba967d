import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { stringify } from "yaml";
import { useClone, type JobKey } from "../../api/jobs";
import { messageOf } from "../../../../api/errors";
import { templateOf } from "../../kinds/jobTemplates";
import { Failure } from "../../../../parts/feedback/Loaded";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { NewJobEditor } from "./NewJobEditor";

/** A new job from a template (`?kind=`) or from another job (`?from=kind/namespace/name`). */
export function NewJob() {
  const words = useWords().jobs;
  const search: { kind?: string; from?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const source = useMemo(() => keyOf(search.from), [search.from]);
  const clone = useClone(source);
  const cloned = clone.data?.manifest;
  const start = useMemo(
    () => (source === undefined ? templateOf(search.kind).manifest : cloned && stringify(cloned, { lineWidth: 0 })),
    [source, cloned, search.kind],
  );
  const choose = (kind: string) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, kind, from: undefined }), replace: true });
  return (
    <Page title={source === undefined ? words.form.title : words.form.clone(source.name)} parent={{ to: "/jobs/", label: words.title }}>
      {clone.error && <Failure message={messageOf(clone.error)} onRetry={() => void clone.refetch()} />}
      {start === undefined ? !clone.error && <Skeleton /> : <NewJobEditor key={start} start={start} onTemplate={choose} />}
    </Page>
  );
}

function keyOf(from: string | undefined): JobKey | undefined {
  const [kind, namespace, name] = (from ?? "").split("/");
  return kind && namespace && name ? { kind, namespace, name } : undefined;
}
