import { useQueryClient } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState, type DragEvent } from "react";
import { FileTrigger } from "react-aria-components";
import { messageOf } from "../../api/errors";
import { useNamespace } from "../../api/namespace";
import { KEYS, uploadFile, uploadUrl, usePipeline } from "../../api/pipelines";
import { rightTo, useRights } from "../../api/rights";
import { PATHS, RIGHTS, nameOf } from "../../kinds/pipelines";
import { Button } from "../../parts/button/Button";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { Segments } from "../../parts/field/Segments";
import { TextInput } from "../../parts/field/TextInput";
import { ButtonRow, Form, Section } from "../../parts/form/Form";
import { useToast } from "../../parts/overlay/toasts";
import { Page } from "../../parts/page/Page";
import { useWords } from "../../words";
import styles from "./Pipelines.module.css";

/** A new pipeline, or a new version of the one in the URL (`?pipeline=`). */
export function UploadPipeline() {
  const words = useWords().pipelines;
  const search: { pipeline?: string } = useSearch({ strict: false });
  const pipeline = usePipeline(search.pipeline ?? "").data;
  const title = search.pipeline === undefined ? words.uploading.title : words.uploading.versionTitle(pipeline === undefined ? "…" : nameOf(pipeline));
  return (
    <Page title={title} sentence={words.uploading.sentence} parent={{ to: PATHS.pipelines, label: words.sections.pipelines }}>
      <UploadForm pipeline={search.pipeline ?? ""} title={title} />
    </Page>
  );
}

type Source = "file" | "url";

export function UploadForm({ pipeline, title }: { pipeline: string; title: string }) {
  const words = useWords();
  const own = words.pipelines.uploading;
  const { forNew } = useNamespace();
  const upload = useUpload(pipeline, forNew);
  const { source, file, url, name, description, visibility } = upload.form;
  const missing = useRights(forNew)(rightTo(pipeline === "" ? "create" : "update", RIGHTS.pipelines, forNew));
  return (
    <Form label={title} onSubmit={upload.submit}>
      <Section title={own.source}>
        <Segments<Source> label={own.source} value={source} onChange={(next) => upload.change({ source: next })} options={[{ value: "file", label: own.file }, { value: "url", label: own.url }]} />
        {source === "file" ? (
          <FileDrop file={file} onFile={(next) => upload.change({ file: next })} />
        ) : (
          <TextInput label={own.url} value={url} onChange={(next) => upload.change({ url: next })} hint={own.urlHint} placeholder="https://" required />
        )}
      </Section>
      <Section title={own.name}>
        <TextInput label={own.name} hideLabel value={name} onChange={(next) => upload.change({ name: next })} hint={own.nameHint} />
        <TextInput label={words.pipelines.description} value={description} onChange={(next) => upload.change({ description: next })} multiline />
        {pipeline === "" && (
          <Segments
            label={own.visibility}
            value={visibility}
            onChange={(next) => upload.change({ visibility: next })}
            options={[{ value: "private", label: own.private }, { value: "shared", label: own.sharedChoice }]}
          />
        )}
      </Section>
      {upload.refusal !== undefined && <WhyCard state="failed" sentence={upload.refusal} />}
      <ButtonRow>
        <Button type="submit" look="primary" icon="upload" label={own.submit} busy={upload.busy} missing={missing} />
        <ButtonLink to={PATHS.pipelines} look="quiet">
          {words.common.cancel}
        </ButtonLink>
        <CommandHint lines={[commandOf(pipeline, name, file?.name ?? "pipeline.yaml")]} />
      </ButtonRow>
    </Form>
  );
}

function commandOf(pipeline: string, name: string, file: string): string {
  const endpoint = `kfp --endpoint ${location.origin}/pipeline pipeline`;
  return pipeline === "" ? `${endpoint} create --pipeline-name '${name || file}' ${file}` : `${endpoint} create-version --pipeline-version '${name || file}' --pipeline-id ${pipeline} ${file}`;
}

function FileDrop({ file, onFile }: { file: File | undefined; onFile: (file: File) => void }) {
  const words = useWords().pipelines.uploading;
  const [isOver, setOver] = useState(false);
  const over = (event: DragEvent, isInside: boolean) => {
    event.preventDefault();
    setOver(isInside);
  };
  return (
    <div
      className={styles.drop}
      data-over={isOver}
      onDragOver={(event) => over(event, true)}
      onDragLeave={(event) => over(event, false)}
      onDrop={(event) => {
        over(event, false);
        const dropped = event.dataTransfer.files[0];
        if (dropped !== undefined) onFile(dropped);
      }}
    >
      <FileTrigger acceptedFileTypes={[".yaml", ".yml", ".json", ".zip", ".gz", ".tgz"]} onSelect={(files) => files?.[0] && onFile(files[0])}>
        <Button icon="file" label={file?.name ?? words.choose} />
      </FileTrigger>
      <span>{words.drop}</span>
    </div>
  );
}

interface UploadState {
  source: Source;
  file: File | undefined;
  url: string;
  name: string;
  description: string;
  visibility: "private" | "shared";
}

const MAX_BYTES = 32 * 2 ** 20;

function useUpload(pipeline: string, namespace: string) {
  const words = useWords().pipelines.uploading;
  const navigate = useNavigate();
  const toast = useToast();
  const queries = useQueryClient();
  const [form, setForm] = useState<UploadState>({ source: "file", file: undefined, url: "", name: "", description: "", visibility: "private" });
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const change = (changed: Partial<UploadState>) => {
    setForm((before) => ({ ...before, ...changed }));
    setRefusal(undefined);
  };
  const problem = (): string | undefined => {
    if (form.source === "url") return form.url === "" ? words.noUrl : undefined;
    if (form.file === undefined) return words.noFile;
    return form.file.size > MAX_BYTES ? words.tooLarge : undefined;
  };
  const submit = () => {
    const wrong = problem();
    setRefusal(wrong);
    if (wrong !== undefined || busy) return;
    setBusy(true);
    const file = form.file;
    const name = form.name.trim() || (form.source === "file" ? (file?.name ?? "") : (form.url.split("/").at(-1) ?? "")).replace(/\.(ya?ml|json|zip|tar\.gz|tgz)$/i, "");
    const wanted = { name, description: form.description, namespace: form.visibility === "shared" ? "" : namespace, pipeline };
    (form.source === "file" && file !== undefined ? uploadFile(file, wanted) : uploadUrl(form.url, wanted))
      .then((id) => {
        toast({ text: words.done(name) });
        void queries.invalidateQueries({ queryKey: KEYS.pipelines });
        void queries.invalidateQueries({ queryKey: KEYS.versions(id) });
        void navigate({ to: PATHS.pipeline(id) });
      })
      .catch((error: unknown) => setRefusal(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return { form, change, busy, refusal, submit };
}
