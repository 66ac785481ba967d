import { useState, type ReactNode } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { TextInput } from "../field/TextInput";
import { FieldControl } from "./FieldControl";
import { fieldsOfSchema, resolve, type Components, type Field, type Schema } from "./schema";
import styles from "./SchemaForm.module.css";

export type FormPath = (string | number)[];

export interface FormContext {
  components: Components;
  problems: { path: string; message: string }[];
  /** Undefined removes the field. */
  onSet: (path: FormPath, value: unknown) => void;
  /** Whether what is required, or has a value, is open at first. */
  unfold?: boolean;
}

interface SchemaFormProps extends FormContext {
  schema: Schema;
  /** The value of the object that the schema describes. */
  value: unknown;
  path: FormPath;
  /** Fields that are edited elsewhere. */
  omit?: string[];
}

/** A form made from an OpenAPI schema: each object a fold, opened when it is wanted. */
export function SchemaForm({ schema, value, path, omit = [], ...context }: SchemaFormProps) {
  const fields = fieldsOfSchema(schema, context.components).filter((field) => !omit.includes(field.name));
  return (
    <div className={styles.fields}>
      {fields.map((field) => (
        <FormField key={field.name} field={field} value={memberOf(value, field.name)} path={[...path, field.name]} context={context} />
      ))}
    </div>
  );
}

interface FormFieldProps {
  field: Field;
  value: unknown;
  path: FormPath;
  context: FormContext;
}

function FormField({ field, value, path, context }: FormFieldProps) {
  const isOpen = context.unfold === true && (field.isRequired || value !== undefined);
  if (field.shape === "object") {
    return (
      <Fold title={field.name} hint={field.description} isSet={value !== undefined} isOpen={isOpen}>
        {() => <SchemaForm schema={field.schema} value={value} path={path} {...context} />}
      </Fold>
    );
  }
  if (field.shape === "list") return <ListField field={field} value={value} path={path} context={context} />;
  if (field.shape === "entries") return <EntriesField field={field} value={value} path={path} context={context} />;
  return <FieldControl field={field} value={value} path={path} context={context} />;
}

/** Objects in a list, which grow and go. */
function ListField({ field, value, path, context }: FormFieldProps) {
  const words = useWords().jobs.form;
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  const schema = resolve(field.schema.items ?? {}, context.components);
  const isOpen = context.unfold === true && (field.isRequired || items.length > 0);
  return (
    <Fold title={field.name} hint={field.description} isSet={items.length > 0} isOpen={isOpen}>
      {() => (
        <div className={styles.fields}>
          {items.map((item, index) => (
            <Fold key={index} title={titleOf(item, index)} hint="" isSet isOpen={isOpen && items.length === 1}>
              {() => (
                <>
                  <SchemaForm schema={schema} value={item} path={[...path, index]} {...context} />
                  <Button small label={words.remove} icon="trash" onPress={() => context.onSet(path, items.length === 1 ? undefined : items.filter((_, place) => place !== index))} />
                </>
              )}
            </Fold>
          ))}
          <Button small label={words.add} icon="plus" onPress={() => context.onSet(path, [...items, {}])} />
        </div>
      )}
    </Fold>
  );
}

/** Objects by keys, such as the replicas of a job by role. */
function EntriesField({ field, value, path, context }: FormFieldProps) {
  const words = useWords().jobs.form;
  const [key, setKey] = useState("");
  const names = typeof value === "object" && value !== null ? Object.keys(value) : [];
  const schema = typeof field.schema.additionalProperties === "object" ? field.schema.additionalProperties : {};
  const isOpen = context.unfold === true && (field.isRequired || names.length > 0);
  const isNew = key !== "" && !names.includes(key);
  return (
    <Fold title={field.name} hint={field.description} isSet={names.length > 0} isOpen={isOpen}>
      {() => (
        <div className={styles.fields}>
          {names.map((name) => (
            <Fold key={name} title={name} hint="" isSet isOpen={isOpen}>
              {() => (
                <>
                  <SchemaForm schema={schema} value={memberOf(value, name)} path={[...path, name]} {...context} />
                  <Button small label={words.remove} icon="trash" onPress={() => context.onSet([...path, name], undefined)} />
                </>
              )}
            </Fold>
          ))}
          <div className={styles.entry}>
            <TextInput label={words.key} value={key} onChange={setKey} />
            <Button
              label={words.add}
              icon="plus"
              onPress={() => {
                if (isNew) context.onSet([...path, key], {});
                setKey("");
              }}
            />
          </div>
        </div>
      )}
    </Fold>
  );
}

interface FoldProps {
  title: string;
  hint: string;
  /** Whether something in it has a value. */
  isSet: boolean;
  isOpen: boolean;
  children: () => ReactNode;
}

function Fold({ title, hint, isSet, isOpen: isOpenAtFirst, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details className={styles.fold} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span className={isSet ? styles.set : undefined}>{title}</span> <span className={styles.hint}>{hint}</span>
      </summary>
      {isOpen && <div className={styles.inside}>{children()}</div>}
    </details>
  );
}

const titleOf = (item: unknown, index: number): string => {
  const name = memberOf(item, "name");
  return typeof name === "string" && name !== "" ? name : String(index + 1);
};

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
