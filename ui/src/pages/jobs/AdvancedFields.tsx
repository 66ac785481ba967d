import { useState } from "react";
import type { FieldCause } from "../../api/errors";
import type { KubeObject } from "../../api/k8s";
import { useComponents } from "../../api/openapi";
import { setField } from "../../kinds/jobFields";
import { Card } from "../../parts/card/Card";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { SchemaForm } from "../../parts/form/SchemaForm";
import { resolve, schemaOfKind } from "../../parts/form/schema";
import { useWords } from "../../words";
import styles from "./Jobs.module.css";
import type { Manifest } from "./useManifest";

interface AdvancedFieldsProps {
  manifest: Manifest;
  object: KubeObject;
  problems: FieldCause[];
}

/** Everything that the kind has, from its schema; the schema is fetched when this is opened. */
export function AdvancedFields({ manifest, object, problems }: AdvancedFieldsProps) {
  const { jobs, common } = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <Card>
      <details className={styles.advanced} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b>{common.advanced}</b> <span className={styles.quiet}>{jobs.form.advancedHint}</span>
        </summary>
        {isOpen && <SpecForm manifest={manifest} object={object} problems={problems} />}
      </details>
    </Card>
  );
}

function SpecForm({ manifest, object, problems }: AdvancedFieldsProps) {
  const [group = "", version = ""] = object.apiVersion.split("/");
  const { data: components } = useComponents(group, version);
  if (components === undefined) return <Skeleton />;
  const kind = schemaOfKind(components, group, version, object.kind);
  const spec = kind && resolve(kind, components).properties?.["spec"];
  if (spec === undefined) return null;
  return (
    <SchemaForm
      schema={spec}
      components={components}
      value={object["spec"]}
      path={["spec"]}
      problems={problems}
      onSet={(path, value) => manifest.edit((copy) => setField(copy, path, value))}
    />
  );
}
