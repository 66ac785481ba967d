import { useState } from "react";
import type { FieldCause } from "../../api/errors";
import { useComponents } from "../../api/openapi";
import { dig, textOf, type ManifestObject } from "../../kinds/manifest";
import { useWords } from "../../words";
import { Card } from "../card/Card";
import { Skeleton } from "../feedback/Skeleton";
import { TextInput } from "../field/TextInput";
import { keepFromSubmitting } from "./Form";
import { MetadataFields } from "./MetadataFields";
import { SchemaForm, type FormPath } from "./SchemaForm";
import styles from "./SchemaForm.module.css";
import { apiVersionParts, schemaAt, schemaOfKind } from "./schema";

interface MoreFieldsProps {
  title: string;
  hint: string;
  object: ManifestObject;
  /** Where in the object its fields begin. */
  path?: string[];
  problems: FieldCause[];
  onSet: (path: FormPath, value: unknown) => void;
}

/** Everything that a kind has, from its schema, which is fetched when this is opened. */
export function MoreFields({ title, hint, ...fields }: MoreFieldsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card>
      <details className={styles.more} onKeyDown={keepFromSubmitting} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <b>{title}</b> <span className={styles.hint}>{hint}</span>
        </summary>
        {isOpen && <FieldsAt {...fields} />}
      </details>
    </Card>
  );
}

function FieldsAt({ object, path = ["spec"], problems, onSet }: Omit<MoreFieldsProps, "title" | "hint">) {
  const { editing: words, common } = useWords();
  const [filter, setFilter] = useState("");
  const { group, version } = apiVersionParts(textOf(object["apiVersion"]));
  const { data: components, error } = useComponents(group, version);
  if (components === undefined && error === null) return <Skeleton />;
  const kind = components && schemaOfKind(components, group, version, textOf(object["kind"]));
  const schema = kind && schemaAt(kind, components, path);
  if (kind === undefined || schema === undefined || components === undefined) return <p className={styles.hint}>{words.noSchema}</p>;
  const names = Object.keys(schema.properties ?? {});
  const omit = names.filter((name) => !name.toLowerCase().includes(filter.trim().toLowerCase()));
  return (
    <div className={styles.fields}>
      <MetadataFields schema={kind} object={object} components={components} problems={problems} onSet={onSet} />
      {names.length > MAX_UNFILTERED && <TextInput label={common.filter} type="search" value={filter} onChange={setFilter} />}
      <SchemaForm schema={schema} components={components} value={dig(object, ...path)} path={path} omit={omit} problems={problems} onSet={onSet} />
    </div>
  );
}

/** More fields than these are searched by name. */
const MAX_UNFILTERED = 12;
