import type { ReactNode } from "react";
import { Button } from "../../parts/button/Button";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { ButtonRow, Form, Sections } from "../../parts/form/Form";
import { FormAndYaml, problemText, type Look } from "../../parts/form/FormAndYaml";
import type { Manifest } from "../../parts/yaml/useManifest";
import { useWords } from "../../words";
import { NO_PROBLEMS, type Refusal } from "./useCreation";

interface CreationFormProps {
  label: string;
  look: Look;
  onLook: (look: Look) => void;
  manifest: Manifest;
  namespace: string;
  creation: { busy: boolean; refusal: Refusal | undefined };
  /** The right that is missing to create it. */
  missing: string | undefined;
  submit: string;
  onSubmit: () => void;
  cancelTo: string;
  /** Beside the buttons. */
  note?: ReactNode;
  /** The fields. */
  children: ReactNode;
}

/** The form of something new, or its YAML; what the server says about it, and the buttons. */
export function CreationForm({ label, look, onLook, manifest, namespace, creation, missing, submit, onSubmit, cancelTo, note, children }: CreationFormProps) {
  const { common, editing } = useWords();
  const { busy, refusal } = creation;
  const broken = manifest.problem && problemText(manifest.problem, editing);
  return (
    <Form label={label} onSubmit={() => broken === undefined && onSubmit()}>
      <FormAndYaml look={look} onLook={onLook} manifest={manifest} problems={refusal?.problems ?? NO_PROBLEMS}>
        <Sections>{children}</Sections>
      </FormAndYaml>
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal.message} />}
      <ButtonRow>
        <Button type="submit" look="primary" label={submit} busy={busy} missing={missing} disabledReason={broken} />
        <ButtonLink to={cancelTo} look="quiet">
          {common.cancel}
        </ButtonLink>
        <CommandHint lines={[`kubectl create -n ${namespace} -f - <<'EOF'\n${manifest.text}EOF`]} />
        {note}
      </ButtonRow>
    </Form>
  );
}
