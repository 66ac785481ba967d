import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { ApiError, messageOf, type FieldCause } from "../../../../api/errors";
import { createObject, type KubeObject } from "../../../../api/k8s";
import { useNamespace } from "../../../../api/namespace";
import { useSchemas } from "../../../../api/openapi";
import { rightTo, useRights } from "../../../../api/rights";
import { resourceOf } from "../../kinds/jobs";
import { JOB_TEMPLATES } from "../../kinds/jobTemplates";
import { namespaceOf, setField, textOf } from "../../../../kinds/manifest";
import { jobPath } from "../../kinds/jobStates";
import { Button } from "../../../../parts/button/Button";
import { Card } from "../../../../parts/card/Card";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { Choice } from "../../../../parts/field/Choice";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { problemText } from "../../../../parts/form/FormAndYaml";
import { MoreFields } from "../../../../parts/form/MoreFields";
import { Stack } from "../../../../parts/page/Page";
import { useToast } from "../../../../parts/overlay/toasts";
import { YamlEditor } from "../../../../parts/yaml/YamlEditor";
import { useWords } from "../../../../words";
import { ForecastCard } from "./ForecastCard";
import { JobForm } from "./JobForm";
import styles from "../Jobs.module.css";
import { useManifest } from "./useManifest";

interface NewJobEditorProps {
  /** The manifest to begin with. */
  start: string;
  onTemplate: (kind: string) => void;
}

/** The form and the YAML of one manifest beside each other, what would become of it, and the launch. */
export function NewJobEditor({ start, onTemplate }: NewJobEditorProps) {
  const { jobs, common, editing } = useWords();
  const words = jobs.form;
  const manifest = useManifest(start);
  const { forNew } = useNamespace();
  const object = useMemo(() => manifest.document.toJSON() as KubeObject, [manifest.document]);
  const namespace = namespaceOf(object, forNew);
  const launch = useLaunch(object, namespace);
  const resource = resourceOf(object);
  const schemas = useSchemas([textOf(object.apiVersion)]);
  const missing = useRights(namespace)(resource ? rightTo("create", resource, namespace) : { verb: "create", group: "", resource: "jobs", namespace });
  return (
    <div className={styles.editor}>
      <Stack>
        <Card>
          <Choice label={words.framework} value={object.kind} onChange={onTemplate} options={JOB_TEMPLATES.map(({ kind, label }) => ({ value: kind, label }))} />
        </Card>
        {manifest.problem && <WhyCard state="waiting" sentence={problemText(manifest.problem, editing)} detail={editing.formWaits} />}
        <div inert={manifest.problem !== undefined}>
          <Stack>
            <JobForm manifest={manifest} problems={launch.problems} />
            <MoreFields
              title={common.advanced}
              hint={words.advancedHint}
              object={object}
              problems={launch.problems}
              onSet={(path, value) => manifest.edit((copy) => setField(copy, path, value))}
            />
          </Stack>
        </div>
      </Stack>
      <Stack>
        <ForecastCard object={object} usual={forNew} />
        {launch.failure !== undefined && <Refusal message={launch.failure} problems={launch.problems} />}
        <div className={styles.buttons}>
          <Button
            look="primary"
            icon="play"
            label={words.launch}
            busy={launch.busy}
            missing={missing}
            disabledReason={manifest.problem && problemText(manifest.problem, editing)}
            onPress={() => void launch.run()}
          />
          <CommandHint
            lines={[`kubectl create -n ${namespace} -f - <<'EOF'\n${manifest.text}EOF`, `windlass simulate --from-cluster --namespace ${namespace} --add /dev/stdin <<'EOF'\n${manifest.text}EOF`]}
          />
        </div>
        <YamlEditor label={common.yaml} value={manifest.text} onChange={manifest.setText} problems={launch.problems} schemas={schemas} />
      </Stack>
    </div>
  );
}

/** Fields that the server complains about are marked; the card names them. */
function Refusal({ message, problems }: { message: string; problems: FieldCause[] }) {
  const words = useWords().jobs.form;
  if (problems.length === 0) return <WhyCard state="failed" sentence={message} />;
  return <WhyCard state="failed" sentence={words.refused} detail={problems.map((problem) => problem.path).join(", ")} />;
}

interface Launch {
  busy: boolean;
  failure: string | undefined;
  /** What the server says about fields. */
  problems: FieldCause[];
  run: () => Promise<void>;
}

/** Asks the server whether it would take the job, then creates it and goes to its page. */
function useLaunch(object: KubeObject, namespace: string): Launch {
  const words = useWords().jobs.form;
  const toast = useToast();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<{ message: string; causes: FieldCause[] }>();
  const run = async () => {
    const resource = resourceOf(object);
    setBusy(true);
    try {
      if (resource === undefined) throw new Error(words.broken);
      await createObject(resource, namespace, object, true);
      const made = await createObject(resource, namespace, object);
      toast({ text: words.created(made.metadata.name) });
      await navigate({ to: jobPath({ kind: object.kind, namespace, name: made.metadata.name }) });
    } catch (error) {
      setRefusal({ message: messageOf(error), causes: error instanceof ApiError ? error.causes : [] });
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure: refusal?.message, problems: refusal?.causes ?? NO_CAUSES, run };
}

const NO_CAUSES: FieldCause[] = [];
