import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useObject, useObjects, useView } from "../../../api/hooks";
import { rightTo, useRights } from "../../../api/rights";
import type { Notebook, NotebookRow, NotebooksView, Pod, PodDefault } from "../../../kinds/generated";
import { NOTEBOOKS, POD_DEFAULTS, annotationsOf, isToStop, notebookState } from "../kinds/notebooks";
import { PODS } from "../../../kinds/pods";
import { Button } from "../../../parts/button/Button";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Page } from "../../../parts/page/Page";
import { PageTabs } from "../../../parts/page/PageTabs";
import { useWords } from "../../../words";
import { ObjectEvents } from "../../../pages/details/ObjectEvents";
import { ObjectYaml } from "../../../pages/details/ObjectYaml";
import { PodLog } from "../../../pages/details/PodLog";
import { Trouble } from "../../../pages/details/Trouble";
import { Controls } from "./Controls";
import { EditDialog } from "./form/EditDialog";
import { NotebookPill } from "./NotebookCards";
import { Overview } from "./Overview";
import styles from "./Notebooks.module.css";

/** One notebook: whether it runs, why not, and everything about it. */
export function NotebookDetails() {
  const words = useWords().notebooks;
  const { namespace = "", name = "" }: { namespace?: string; name?: string } = useParams({ strict: false });
  const notebooks = useView<NotebooksView>("notebooks", { namespace });
  const notebook = useObject<Notebook>(NOTEBOOKS, namespace, name);
  const pods = useObjects<Pod>(PODS, { namespace, labelSelector: `notebook-name=${name}` });
  const podDefaults = useObjects<PodDefault>(POD_DEFAULTS, { namespace });
  const row = notebooks.data?.rows.find((one) => one.name === name);
  const parent = { to: "/jupyter/", label: words.title };
  if (notebook.data && row) {
    return <NotebookPage row={row} notebook={notebook.data} pod={pods.data?.find((pod) => pod.metadata.deletionTimestamp === undefined) ?? pods.data?.[0]} podDefaults={podDefaults.data ?? []} />;
  }
  return (
    <Page title={name} parent={parent}>
      {notebook.data === null ? (
        <EmptyState icon="notebook" sentence={words.details.gone} />
      ) : (
        <Loaded live={notebook.phase === "error" ? notebook : { ...notebooks, data: undefined }}>{() => null}</Loaded>
      )}
    </Page>
  );
}

interface NotebookPageProps {
  row: NotebookRow;
  notebook: Notebook;
  pod: Pod | undefined;
  podDefaults: PodDefault[];
}

export function NotebookPage({ row, notebook, pod, podDefaults }: NotebookPageProps) {
  const words = useWords();
  const own = words.notebooks;
  const navigate = useNavigate();
  const [edits, setEdits] = useState(false);
  const missing = useRights(row.namespace)(rightTo("patch", NOTEBOOKS, row.namespace, row.name));
  const state = notebookState(row);
  const isStopped = isToStop(annotationsOf(row));
  const edit = { id: "edit", label: words.common.edit, icon: "settings" as const, missing, onAction: () => setEdits(true) };
  const none = <p className={styles.quiet}>{own.details.noPod}</p>;
  return (
    <Page
      title={row.name}
      isName
      badge={<NotebookPill row={row} />}
      sentence={sentenceOf(row, own)}
      parent={{ to: "/jupyter/", label: own.title }}
      actions={
        <>
          {state === "failed" && <Button label={edit.label} icon={edit.icon} missing={missing} onPress={edit.onAction} />}
          <Controls row={row} more={[edit]} onDeleted={() => void navigate({ to: "/jupyter/" })} />
        </>
      }
    >
      <Trouble resource={NOTEBOOKS} row={row} state={state} />
      <PageTabs
        label={row.name}
        tabs={[
          { id: "overview", label: words.common.overview, content: () => <Overview row={row} notebook={notebook} pod={pod} podDefaults={podDefaults} /> },
          { id: "logs", label: words.common.logs, content: () => (pod === undefined ? none : <PodLog pod={pod} container={row.name} />) },
          { id: "events", label: words.common.events, content: () => <ObjectEvents resource={NOTEBOOKS} object={row} /> },
          {
            id: "yaml",
            label: words.common.yaml,
            content: () => <ObjectYaml objects={[{ resource: NOTEBOOKS, object: notebook }, ...(pod === undefined ? [] : [{ resource: PODS, object: pod }])]} />,
          },
        ]}
      />
      {edits && <EditDialog notebook={notebook} isStopped={isStopped} isOpen onClose={() => setEdits(false)} />}
    </Page>
  );
}

function sentenceOf(row: NotebookRow, words: ReturnType<typeof useWords>["notebooks"]): string | undefined {
  if (row.status.phase === "ready") return words.details.running(row.node);
  return row.status.phase === "stopped" ? words.details.stopped : undefined;
}
