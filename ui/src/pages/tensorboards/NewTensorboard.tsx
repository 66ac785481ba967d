import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { stringify } from "yaml";
import { createTensorboard, useClaims, usePodDefaults, type ClaimOption, type PodDefaultOption } from "../../api/desk";
import { messageOf } from "../../api/errors";
import { useObjects } from "../../api/hooks";
import { useNamespace } from "../../api/namespace";
import { rightTo, useRights } from "../../api/rights";
import { TENSORBOARDS, boardBody, boardErrors, boardManifest, boardPath, type BoardForm } from "../../kinds/tensorboards";
import { Button } from "../../parts/button/Button";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { Choice } from "../../parts/field/Choice";
import { TextInput } from "../../parts/field/TextInput";
import { CardChoice } from "../../parts/form/CardChoice";
import { ButtonRow, FieldRow, Form, Section } from "../../parts/form/Form";
import { useToast } from "../../parts/overlay/toasts";
import { Page } from "../../parts/page/Page";
import { useWords } from "../../words";
import { Configurations } from "../notebooks/AdvancedFields";

/** The form of a new TensorBoard; `?pvc=` and `?path=` fill it in. */
export function NewTensorboard() {
  const words = useWords().tensorboards;
  const { forNew } = useNamespace();
  const search: { pvc?: string; path?: string } = useSearch({ strict: false });
  const claims = useClaims(forNew).data ?? [];
  const podDefaults = usePodDefaults(forNew).data ?? [];
  const used = useObjects(forNew === "" ? undefined : TENSORBOARDS, { namespace: forNew }).data ?? [];
  return (
    <Page title={words.newTitle} sentence={words.newSentence} parent={{ to: "/tensorboards/", label: words.title }}>
      <TensorboardForm
        namespace={forNew}
        start={{ claim: search.pvc ?? "", path: search.path ?? "" }}
        claims={claims}
        podDefaults={podDefaults}
        used={used.map((one) => one.metadata.name)}
      />
    </Page>
  );
}

interface TensorboardFormProps {
  namespace: string;
  start: { claim: string; path: string };
  claims: ClaimOption[];
  podDefaults: PodDefaultOption[];
  used: string[];
}

export function TensorboardForm({ namespace, start, claims, podDefaults, used }: TensorboardFormProps) {
  const words = useWords();
  const own = words.tensorboards;
  const navigate = useNavigate();
  const toast = useToast();
  const [form, setForm] = useState<BoardForm>({ name: "", storage: "pvc", link: "", configurations: [], ...start });
  const [hasTried, setHasTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const missing = useRights(namespace)(rightTo("create", TENSORBOARDS, namespace));
  const errors = boardErrors(form, used);
  const wrong = (field: string) => {
    const error = errors[field];
    return error === undefined || (error === "required" && !hasTried) || (field === "link" && !hasTried) ? undefined : own.errors[error];
  };
  const change = (changed: Partial<BoardForm>) => {
    setForm((before) => ({ ...before, ...changed }));
    setRefusal(undefined);
  };
  const create = () => {
    setHasTried(true);
    if (Object.keys(errors).length > 0 || busy) return;
    setBusy(true);
    createTensorboard(namespace, boardBody(form))
      .then(() => {
        toast({ text: own.created(form.name) });
        void navigate({ to: boardPath({ namespace, name: form.name }) });
      })
      .catch((error: unknown) => setRefusal(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return (
    <Form label={own.newTitle} onSubmit={create}>
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
              options={claims.map((claim) => ({ value: claim.name, label: claim.name, hint: claim.size }))}
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
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal} />}
      <ButtonRow>
        <Button type="submit" look="primary" label={words.common.create} busy={busy} missing={missing} />
        <ButtonLink to="/tensorboards/" look="quiet">
          {words.common.cancel}
        </ButtonLink>
        <CommandHint lines={[`kubectl apply -f - <<'EOF'\n${stringify(boardManifest(form, namespace))}EOF`]} />
      </ButtonRow>
    </Form>
  );
}
