import { useSearch } from "@tanstack/react-router";
import { useNamespace } from "../../../../api/namespace";
import { usePipeline } from "../../api/pipelines";
import { rightTo, useRights } from "../../../../api/rights";
import { PATHS, RIGHTS, nameOf } from "../../kinds/pipelines";
import { Button } from "../../../../parts/button/Button";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { Segments } from "../../../../parts/field/Segments";
import { TextInput } from "../../../../parts/field/TextInput";
import { ButtonRow, Form, Section } from "../../../../parts/form/Form";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { FileDrop } from "./FileDrop";
import { useUpload, type UploadSource } from "./useUpload";

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
        <Segments<UploadSource> label={own.source} value={source} onChange={(next) => upload.change({ source: next })} options={[{ value: "file", label: own.file }, { value: "url", label: own.url }]} />
        {source === "file" ? (
          <FileDrop file={file} onFile={(next) => upload.change({ file: next })} />
        ) : (
          <TextInput label={own.url} value={url} onChange={(next) => upload.change({ url: next })} hint={own.urlHint} placeholder="https://" required />
        )}
      </Section>
      <Section title={own.name}>
        <TextInput label={own.name} hideLabel value={name} onChange={(next) => upload.change({ name: next })} hint={own.nameHint} />
        <TextInput label={words.pipelines.description} value={description} onChange={(next) => upload.change({ description: next })} multiline />
      </Section>
      {pipeline === "" && (
        <Section title={own.visibility}>
          <Segments
            label={own.visibility}
            value={visibility}
            onChange={(next) => upload.change({ visibility: next })}
            options={[{ value: "private", label: own.private }, { value: "shared", label: own.sharedChoice }]}
          />
        </Section>
      )}
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
