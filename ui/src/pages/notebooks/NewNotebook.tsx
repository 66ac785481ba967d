import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { createNotebook, useClaims, useGpuVendors, usePodDefaults, useSpawnerConfig, useStorageClasses } from "../../api/desk";
import { messageOf } from "../../api/errors";
import { useObjects, useView } from "../../api/hooks";
import { useNamespace } from "../../api/namespace";
import { rightTo, useRights } from "../../api/rights";
import type { HomeView } from "../../kinds/generated";
import { bodyOf, fieldOfMessage, formErrors, initialForm, type NotebookForm } from "../../kinds/notebookForm";
import { NOTEBOOKS, notebookPath } from "../../kinds/notebooks";
import { Button } from "../../parts/button/Button";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { Failure } from "../../parts/feedback/Loaded";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { TextInput } from "../../parts/field/TextInput";
import { ButtonRow, Form, Section } from "../../parts/form/Form";
import { Columns, Page } from "../../parts/page/Page";
import { useToast } from "../../parts/overlay/toasts";
import { useWords } from "../../words";
import { AdvancedFields } from "./AdvancedFields";
import type { Offers } from "./formProps";
import { ImageFields } from "./ImageFields";
import { Preview } from "./Preview";
import { SizeFields } from "./SizeFields";
import { useTrial } from "./useTrial";
import { VolumeFields } from "./VolumeFields";

/** The form of a new notebook. */
export function NewNotebook() {
  const words = useWords().notebooks;
  const { forNew } = useNamespace();
  const config = useSpawnerConfig();
  const vendors = useGpuVendors().data;
  const claims = useClaims(forNew).data;
  const podDefaults = usePodDefaults(forNew).data;
  const storageClasses = useStorageClasses().data;
  const used = useObjects(forNew === "" ? undefined : NOTEBOOKS, { namespace: forNew }).data;
  const home = useView<HomeView>("home", forNew === "" ? undefined : { namespace: forNew }).data;
  const offers: Offers | undefined = useMemo(
    () =>
      config.data && {
        config: config.data,
        vendors: vendors ?? [],
        claims: claims ?? [],
        podDefaults: podDefaults ?? [],
        storageClasses: storageClasses ?? { names: [], preset: undefined },
      },
    [config.data, vendors, claims, podDefaults, storageClasses],
  );
  return (
    <Page title={words.newTitle} sentence={words.newSentence} parent={{ to: "/jupyter/", label: words.title }}>
      {config.isError ? (
        <Failure message={messageOf(config.error)} onRetry={() => void config.refetch()} />
      ) : offers === undefined ? (
        <Skeleton lines={10} />
      ) : (
        <NotebookFormView namespace={forNew} offers={offers} used={(used ?? []).map((one) => one.metadata.name)} home={home} />
      )}
    </Page>
  );
}

interface NotebookFormViewProps {
  namespace: string;
  offers: Offers;
  /** Names that notebooks have already. */
  used: string[];
  /** For what is free; undefined until it is known. */
  home: Pick<HomeView, "capacity" | "quotas"> | undefined;
}

export function NotebookFormView({ namespace, offers, used, home }: NotebookFormViewProps) {
  const words = useWords();
  const own = words.notebooks;
  const { form, change, errors, shownErrors, busy, refusal, launch } = useNotebookForm(namespace, offers, used);
  const missing = useRights(namespace)(rightTo("create", NOTEBOOKS, namespace));
  const isWrong = Object.keys(errors).length > 0;
  const trial = useTrial(namespace, isWrong ? undefined : bodyOf(form, offers.config));
  const fields = { form, offers, errors: shownErrors, onChange: change };
  const nameError = shownErrors["name"];
  const refusedName = refusal !== undefined && fieldOfMessage(refusal) === "name" ? refusal : undefined;
  return (
    <Columns>
      <Form label={own.newTitle} onSubmit={launch}>
        <Section title={words.common.name}>
          <TextInput
            label={words.common.name}
            hideLabel
            autoFocus
            required
            value={form.name}
            onChange={(name) => change({ name })}
            hint={`${own.nameHint} ${namespace}`}
            error={refusedName ?? (nameError && own.errors[nameError])}
          />
        </Section>
        <ImageFields {...fields} />
        <SizeFields {...fields} />
        <VolumeFields {...fields} />
        <AdvancedFields {...fields} />
        {refusal !== undefined && <WhyCard state="failed" sentence={refusal} />}
        <ButtonRow>
          <Button type="submit" look="primary" label={own.launch} busy={busy} missing={missing} />
          <ButtonLink to="/jupyter/" look="quiet">
            {words.common.cancel}
          </ButtonLink>
          {isWrong && Object.keys(shownErrors).length > 0 && <span role="status">{own.fixErrors}</span>}
        </ButtonRow>
      </Form>
      <Preview trial={trial} capacity={home?.capacity ?? []} quotas={home?.quotas ?? []} />
    </Columns>
  );
}

/** The state of the form. Errors are shown of what was edited, and of all once one has tried to launch. */
function useNotebookForm(namespace: string, { config }: Offers, used: string[]) {
  const words = useWords().notebooks;
  const navigate = useNavigate();
  const toast = useToast();
  const queries = useQueryClient();
  const [form, setForm] = useState<NotebookForm>(() => initialForm(config));
  const [edited, setEdited] = useState<Set<string>>(new Set());
  const [hasTried, setHasTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const errors = useMemo(() => formErrors(form, config, used), [form, config, used]);
  const shown = (field: string) => hasTried || edited.has(field.startsWith("data.") ? "dataVolumes" : (field.split(".")[0] ?? field));
  const shownErrors = Object.fromEntries(Object.entries(errors).filter(([field, error]) => shown(field) && !(error === "required" && !hasTried)));
  const change = (changed: Partial<NotebookForm>) => {
    setForm((before) => ({ ...before, ...changed }));
    setEdited((before) => new Set([...before, ...Object.keys(changed)]));
    setRefusal(undefined);
  };
  const launch = () => {
    setHasTried(true);
    if (Object.keys(errors).length > 0 || busy) return;
    setBusy(true);
    createNotebook(namespace, bodyOf(form, config))
      .then(() => {
        void queries.invalidateQueries({ queryKey: ["claims", namespace] });
        toast({ text: words.launched(form.name) });
        void navigate({ to: notebookPath({ namespace, name: form.name }) });
      })
      .catch((error: unknown) => setRefusal(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return { form, change, errors, shownErrors, busy, refusal, launch };
}
