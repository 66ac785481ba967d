import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { createNotebook, useGpuVendors, usePodDefaults, useSpawnerConfig } from "../../api/notebooks";
import { useClaims, useStorageClasses } from "../../../volumes/api/volumes";
import { ApiError, messageOf } from "../../../../api/errors";
import { useObjects, useView } from "../../../../api/hooks";
import { useNamespace } from "../../../../api/namespace";
import { rightTo, useRights } from "../../../../api/rights";
import type { HomeView } from "../../../../kinds/generated";
import { dig, setField, textOf, textOfObjects } from "../../../../kinds/manifest";
import { bodyOf, fieldOfMessage, formErrors, initialForm, type NotebookForm } from "../../kinds/notebookForm";
import { isAllInForm, notebookLens, notebookObjects } from "../../kinds/notebookManifest";
import { isNotebook } from "../../kinds/notebookVolumes";
import { NOTEBOOKS, notebookPath } from "../../kinds/notebooks";
import { Failure } from "../../../../parts/feedback/Loaded";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { TextInput } from "../../../../parts/field/TextInput";
import { Section } from "../../../../parts/form/Form";
import type { Look } from "../../../../parts/form/FormAndYaml";
import { MoreFields } from "../../../../parts/form/MoreFields";
import { useLook } from "../../../../parts/form/useLook";
import { Columns, Page } from "../../../../parts/page/Page";
import { useToast } from "../../../../parts/overlay/toasts";
import { useManifest } from "../../../../parts/yaml/useManifest";
import { useManifestForm } from "../../../../parts/yaml/useManifestForm";
import { useWords } from "../../../../words";
import { CreationForm } from "../../../../pages/objects/CreationForm";
import { NO_PROBLEMS, type Refusal } from "../../../../pages/objects/useCreation";
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
  const [look, setLook] = useLook();
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
        <NotebookFormView namespace={forNew} offers={offers} used={(used ?? []).map((one) => one.metadata.name)} home={home} look={look} onLook={setLook} />
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
  look: Look;
  onLook: (look: Look) => void;
}

export function NotebookFormView({ namespace, offers, used, home, look, onLook }: NotebookFormViewProps) {
  const words = useWords();
  const own = words.notebooks;
  const { manifest, form, change, errors, shownErrors, body, isAll, busy, refusal, launch } = useNotebookForm(namespace, offers, used, look);
  const missing = useRights(namespace)(rightTo("create", NOTEBOOKS, namespace));
  const isWrong = Object.keys(errors).length > 0;
  const trial = useTrial(namespace, busy || (isWrong && look === "form") || form.name === "" || manifest.problem !== undefined ? undefined : body);
  const fields = { form, offers, errors: shownErrors, onChange: change };
  const nameError = shownErrors["name"];
  const refusedName = refusal !== undefined && fieldOfMessage(refusal.message) === "name" ? refusal.message : undefined;
  const place = manifest.objects.findIndex(isNotebook);
  const note = look === "form" && Object.keys(shownErrors).length > 0 ? own.fixErrors : isAll ? undefined : words.editing.asObjects;
  return (
    <Columns>
      <CreationForm
        label={own.newTitle}
        look={look}
        onLook={onLook}
        manifest={manifest}
        namespace={namespace}
        creation={{ busy, refusal }}
        missing={missing}
        submit={own.launch}
        onSubmit={launch}
        cancelTo="/jupyter/"
        note={note !== undefined && <span role="status">{note}</span>}
      >
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
        <MoreFields
          title={words.editing.more}
          hint={words.editing.moreHint}
          object={manifest.objects[place] ?? {}}
          path={POD_SPEC}
          problems={refusal?.problems ?? NO_PROBLEMS}
          onSet={(path, value) => void manifest.edit((documents) => documents[place] && setField(documents[place], path, value))}
        />
      </CreationForm>
      <Preview trial={trial} capacity={home?.capacity ?? []} quotas={home?.quotas ?? []} hasYaml={look === "form"} />
    </Columns>
  );
}

const POD_SPEC = ["spec", "template", "spec"];

/** The state of the form. Errors are shown of what was edited, and of all once one has tried to launch. */
function useNotebookForm(namespace: string, { config, podDefaults }: Offers, used: string[], look: Look) {
  const words = useWords().notebooks;
  const navigate = useNavigate();
  const toast = useToast();
  const queries = useQueryClient();
  const context = useMemo(() => ({ namespace, config, podDefaultLabels: podDefaults.map((one) => one.label) }), [namespace, config, podDefaults]);
  const [initial] = useState<NotebookForm>(() => initialForm(config));
  const [start] = useState(() => textOfObjects(notebookObjects(initial, context)));
  const manifest = useManifest(start);
  const { objects } = manifest;
  const lens = useMemo(() => notebookLens(context), [context]);
  const { form, change } = useManifestForm(manifest, lens, initial);
  const [edited, setEdited] = useState<Set<string>>(new Set());
  const [hasTried, setHasTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Refusal>();
  const errors = useMemo(() => formErrors(form, config, used), [form, config, used]);
  const shown = (field: string) => hasTried || edited.has(field.startsWith("data.") ? "dataVolumes" : (field.split(".")[0] ?? field));
  const shownErrors = Object.fromEntries(Object.entries(errors).filter(([field, error]) => shown(field) && !(error === "required" && !hasTried)));
  // What the form says is posted as a form, which the administrator's rules complete; what it cannot say, as objects.
  const isAll = useMemo(() => isAllInForm(objects, form, context), [objects, form, context]);
  const body = useMemo(() => (isAll ? bodyOf(form, config) : { objects }), [isAll, form, config, objects]);
  const editField = (changed: Partial<NotebookForm>) => {
    change(changed);
    setEdited((before) => new Set([...before, ...Object.keys(changed)]));
    setRefusal(undefined);
  };
  const launch = () => {
    setHasTried(true);
    if ((look === "form" && Object.keys(errors).length > 0) || busy) return;
    const name = textOf(dig(objects.find(isNotebook), "metadata", "name"));
    setBusy(true);
    createNotebook(namespace, body)
      .then(() => {
        void queries.invalidateQueries({ queryKey: ["claims", namespace] });
        toast({ text: words.launched(name) });
        void navigate({ to: notebookPath({ namespace, name }) });
      })
      .catch((error: unknown) => setRefusal({ message: messageOf(error), problems: error instanceof ApiError ? error.causes : NO_PROBLEMS }))
      .finally(() => setBusy(false));
  };
  return { manifest, form, change: editField, errors, shownErrors, body, isAll, busy, refusal, launch };
}
