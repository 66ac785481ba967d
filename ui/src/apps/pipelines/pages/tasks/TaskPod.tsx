import { Link } from "@tanstack/react-router";
import { useObject } from "../../../../api/hooks";
import type { Pod } from "../../../../kinds/generated";
import { PODS } from "../../../../kinds/pods";
import { Facts } from "../../../../parts/card/Card";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Time } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import { ObjectEvents } from "../../../../pages/details/ObjectEvents";
import styles from "../Pipelines.module.css";

interface TaskPodProps {
  /** Empty where the task has none. */
  pod: string;
  namespace: string;
}

/** The pod of a task: where it ran and what was mounted. */
export function TaskPod({ pod, namespace }: TaskPodProps) {
  const words = useWords().pipelines.task;
  const live = useObject<Pod>(pod === "" || namespace === "" ? undefined : PODS, namespace, pod);
  if (pod === "") return <p className={styles.quiet}>{words.noLog}</p>;
  return <Loaded live={live}>{(object) => (object === null ? <p className={styles.quiet}>{words.podGone}</p> : <PodFacts pod={object} />)}</Loaded>;
}

interface MountedContainer {
  name: string;
  image?: string;
  volumeMounts?: { name: string; mountPath: string }[];
}

function PodFacts({ pod }: { pod: Pod }) {
  const { pipelines, common } = useWords();
  const words = pipelines.task;
  const { name, namespace = "", creationTimestamp } = pod.metadata;
  const spec = pod.spec as unknown as { nodeName?: string; containers?: MountedContainer[] } | undefined;
  const main = spec?.containers?.find((container) => container.name === "main") ?? spec?.containers?.[0];
  return (
    <Facts
      rows={[
        [common.name, <Link key="name" to={`/objects/core/v1/pods/${namespace}/${name}`}>{name}</Link>],
        [common.state, pod.status?.phase],
        [words.node, spec?.nodeName],
        [words.image, main?.image && <code>{main.image}</code>],
        [words.volumes, main?.volumeMounts?.length ? main.volumeMounts.map((mount) => <div key={mount.mountPath}><code>{mount.mountPath}</code> <span className={styles.quiet}>{mount.name}</span></div>) : ""],
        [common.created, <Time key="created" at={creationTimestamp} />],
      ]}
    />
  );
}

export function TaskEvents({ pod, namespace }: TaskPodProps) {
  const words = useWords().pipelines.task;
  if (pod === "" || namespace === "") return <p className={styles.quiet}>{words.noLog}</p>;
  return <ObjectEvents resource={PODS} object={{ namespace, name: pod }} />;
}
