import { useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { usePodDefaults, type PodDefaultOption } from "../../notebooks/api/notebooks";
import { useClaims, type ClaimOption } from "../../volumes/api/volumes";
import { useObjects } from "../../../api/hooks";
import { useNamespace } from "../../../api/namespace";
import { rightTo, useRights } from "../../../api/rights";
import { setField, textOfObjects } from "../../../kinds/manifest";
import { boardLens, boardObjects, initialBoard } from "../kinds/tensorboardManifest";
import { TENSORBOARDS, boardErrors, boardPath, type BoardForm } from "../kinds/tensorboards";
import { Choice } from "../../../parts/field/Choice";
import { TextInput } from "../../../parts/field/TextInput";
import { CardChoice } from "../../../parts/form/CardChoice";
import { FieldRow, Section } from "../../../parts/form/Form";
import type { Look } from "../../../parts/form/FormAndYaml";
import { MoreFields } from "../../../parts/form/MoreFields";
import { useLook } from "../../../parts/form/useLook";
import { Page } from "../../../parts/page/Page";
import { useManifest } from "../../../parts/yaml/useManifest";
import { useManifestForm } from "../../../parts/yaml/useManifestForm";
import { useWords } from "../../../words";
import { Configurations } from "../../notebooks/parts/Configurations";
import { CreationForm } from "../../../pages/objects/CreationForm";
import { NO_PROBLEMS, useCreation } from "../../../pages/objects/useCreation";

/** The form of a new TensorBoard; `?pvc=` and `?path=` fill it in. */
export function NewTensorboard() {
  const words = useWords().tensorboards;
  const { forNew } = useNamespace();
  const search: { pvc?: string; path?: string } = useSearch({ strict: false });
  const claims = useClaims(forNew).data ?? [];
  const podDefaults = usePodDefaults(forNew).data ?? NO_POD_DEFAULTS;
  const used = useObjects(forNew === "" ? undefined : TENSORBOARDS, { namespace: forNew }).data ?? [];
  const [look, setLook] = useLook();
  return (
    <Page title={words.newTitle} sentence={words.newSentence} parent={{ to: "/tensorboards/", label: words.title }}>
      <TensorboardForm
        namespace={forNew}
        start={{ claim: search.pvc ?? "", path: search.path ?? "" }}
        claims={claims}
        podDefaults={podDefaults}
        used={used.map((one) => one.metadata.name)}
        look={look}
        onLook={setLook}
      />
    </Page>
  );
}

const NO_POD_DEFAULTS: PodDefaultOption[] = [];

interface TensorboardFormProps {
  namespace: string;
  start: Partial<BoardForm>;
  claims: ClaimOption[];
  podDefaults: PodDefaultOption[];
  used: string[];
  look: Look;
  onLook: (look: Look) => void;
}

export function TensorboardForm({ namespace, start, claims, podDefaults, used, look, onLook }: TensorboardFormProps) {
  const words = useWords();
  const own = words.tensorboards;
  const [initial] = useState<BoardForm>({ ...initialBoard, ...start });
  const manifest = useManifest(useMemo(() => textOfObjects(boardObjects(initial)), [initial]), true);
  const lens = useMemo(() => boardLens(podDefaults.map((one) => one.label)), [podDefaults]);
  const { form, change } = useManifestForm(manifest, lens, initial);
  const [hasTried, setHasTried] = useState(false);
  const creation = useCreation(TENSORBOARDS, namespace, { said: own.created, pageOf: boardPath });
  const missing = useRights(namespace)(rightTo("create", TENSORBOARDS, namespace));
  const errors = boardErrors(form, used);
  const wrong = (field: string) => {
    const error = errors[field];
    return error === undefined || (error === "required" && !hasTried) || (field === "link" && !hasTried) ? undefined : own.errors[error];
  };
  const create = () => {
    setHasTried(true);
    if (!creation.busy && (look === "yaml" || Object.keys(errors).length === 0)) creation.create(manifest.objects);
  };
  const offered = claims.map((claim) => ({ value: claim.name, label: claim.name, hint: claim.size }));
  const isOffered = form.claim === "" || offered.some((one) => one.value === form.claim);
  return (
    <CreationForm
      label={own.newTitle}
      look={look}
      onLook={onLook}
      manifest={manifest}
      namespace={namespace}
      creation={creation}
      missing={missing}
      submit={words.common.create}
      onSubmit={create}
      cancelTo="/tensorboards/"
    >
      <TextInput label={words.common.name} value={form.name} autoFocus required error={wrong("name")} onChange={(name) => change({ name })} />
      <Section title={own.storage}>
        <CardChoice
          label={own.storage}
          options={(["pvc", "store"] as const).map((value) => ({ value, label: own.storages[value], hint: own.storageHints[value] }))}
          value={form.storage}
          onChange={(storage) => change({ storage })}
        />
        {form.storage === "pvc" ? (
          <FieldRow>
            <Choice
              label={own.claim}
              options={isOffered ? offered : [...offered, { value: form.claim, label: form.claim }]}
              value={form.claim}
              hint={wrong("claim")}
              onChange={(claim) => change({ claim })}
            />
            <TextInput label={own.path} value={form.path} hint={own.pathHint} onChange={(path) => change({ path })} />
          </FieldRow>
        ) : (
          <TextInput label={own.link} value={form.link} placeholder="s3://bucket/logs" hint={own.credentials} error={wrong("link")} onChange={(link) => change({ link })} />
        )}
      </Section>
      <Section title={words.notebooks.configurations}>
        <Configurations podDefaults={podDefaults} chosen={form.configurations} onChange={(configurations) => change({ configurations })} />
      </Section>
      <MoreFields
        title={words.editing.more}
        hint={words.editing.moreHint}
        object={manifest.objects[0] ?? {}}
        problems={creation.refusal?.problems ?? NO_PROBLEMS}
        onSet={(path, value) => void manifest.edit((documents) => documents[0] && setField(documents[0], path, value))}
      />
    </CreationForm>
  );
}
