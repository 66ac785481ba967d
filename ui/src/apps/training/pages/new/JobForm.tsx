import { useMemo } from "react";
import type { FieldCause } from "../../../../api/errors";
import { useView } from "../../../../api/hooks";
import { fieldsOf, rolesOf, schedulingOf, setForRoles, setResource, type RoleFields, type RolePlace } from "../../kinds/jobFields";
import type { QueuesView } from "../../../../kinds/generated";
import { setField, type Path } from "../../../../kinds/manifest";
import { Card } from "../../../../parts/card/Card";
import { Choice } from "../../../../parts/field/Choice";
import { NumberInput } from "../../../../parts/field/NumberInput";
import { TextInput } from "../../../../parts/field/TextInput";
import { problemAt } from "../../../../parts/form/schema";
import { useWords } from "../../../../words";
import styles from "../Jobs.module.css";
import type { Manifest } from "./useManifest";

interface JobFormProps {
  manifest: Manifest;
  problems: FieldCause[];
}

/** What everybody fills in, in the order in which one thinks of it. */
export function JobForm({ manifest, problems }: JobFormProps) {
  const words = useWords().jobs.form;
  const { document, edit } = manifest;
  const fields = useMemo(() => fieldsOf(document), [document]);
  const roles = useMemo(() => rolesOf(document), [document]);
  const errorOf = (path: Path) => problemAt(problems, path);
  const first = roles[0];
  return (
    <Card title={words.main}>
      <div className={styles.form}>
        <TextInput label={words.name} required value={fields.name} error={errorOf(["metadata", "name"])} onChange={(name) => edit((copy) => setField(copy, ["metadata", "name"], name))} />
        <TextInput
          label={words.image}
          value={fields.image}
          error={first && errorOf([...first.container, "image"])}
          onChange={(image) => edit((copy) => setForRoles(copy, "image", image))}
        />
        <TextInput
          label={words.command}
          hint={words.commandHint}
          multiline
          value={fields.command}
          error={first && errorOf([...first.container, "command"])}
          onChange={(command) => edit((copy) => setForRoles(copy, "command", command))}
        />
        {fields.roles.map((role, index) => {
          const place = roles[index];
          return place && <RoleRow key={place.name} role={role} place={place} manifest={manifest} error={errorOf(place.replicas)} />;
        })}
        <Scheduling manifest={manifest} queue={fields.queue} minAvailable={fields.minAvailable} errorOf={errorOf} />
      </div>
    </Card>
  );
}

interface RoleRowProps {
  role: RoleFields;
  place: RolePlace;
  manifest: Manifest;
  error: string | undefined;
}

function RoleRow({ role, place, manifest: { edit }, error }: RoleRowProps) {
  const words = useWords().jobs.form;
  const set = (resource: "cpu" | "memory" | "gpu") => (value: string) => edit((copy) => setResource(copy, place, resource, value));
  return (
    <fieldset className={styles.role}>
      <legend>{role.name}</legend>
      <NumberInput label={words.replicas} min={0} value={role.replicas} error={error} onChange={(count) => edit((copy) => setField(copy, place.replicas, Number.isNaN(count) ? undefined : count))} />
      <TextInput label={words.cpu} value={role.cpu} placeholder="500m" onChange={set("cpu")} />
      <TextInput label={words.memory} value={role.memory} placeholder="1Gi" onChange={set("memory")} />
      <NumberInput label={words.gpu} min={0} value={role.gpu} onChange={(count) => set("gpu")(String(Number.isNaN(count) ? 0 : count))} />
    </fieldset>
  );
}

interface SchedulingProps {
  manifest: Manifest;
  queue: string | undefined;
  minAvailable: number | undefined;
  errorOf: (path: Path) => string | undefined;
}

function Scheduling({ manifest: { document, edit }, queue, minAvailable, errorOf }: SchedulingProps) {
  const words = useWords().jobs.form;
  const queues = useView<QueuesView>("queues", {}).data?.queues ?? [];
  const places = schedulingOf(document);
  if (places === undefined || queue === undefined || minAvailable === undefined) return null;
  const known = queues.map((one) => one.name);
  const names = queue === "" || known.includes(queue) ? known : [queue, ...known];
  const set = (path: Path, value: unknown) => edit((copy) => setField(copy, path, value));
  return (
    <fieldset className={styles.role}>
      <legend>{words.scheduling}</legend>
      {names.length > 0 ? (
        <Choice
          label={words.queue}
          hint={errorOf(places.queue)}
          value={queue === "" ? "default" : queue}
          options={names.map((name) => ({ value: name, label: name }))}
          onChange={(name) => set(places.queue, name)}
        />
      ) : (
        <TextInput label={words.queue} value={queue} placeholder="default" error={errorOf(places.queue)} onChange={(name) => set(places.queue, name)} />
      )}
      <NumberInput
        label={words.gang}
        hint={words.gangHint}
        min={0}
        value={minAvailable}
        error={errorOf(places.minAvailable)}
        onChange={(count) => set(places.minAvailable, count === 0 || Number.isNaN(count) ? undefined : count)}
      />
    </fieldset>
  );
}
