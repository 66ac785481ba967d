import { useState } from "react";
import type { Pod } from "../../kinds/generated";
import { Choice } from "../../parts/field/Choice";
import { Segments } from "../../parts/field/Segments";
import { Stack } from "../../parts/page/Page";
import { useWords } from "../../words";
import { PodLog } from "../details/PodLog";

const MAX_SEGMENTS = 4;

/** Containers in the order in which they start; the main one is the first that is no init container. */
export function containersOf(pod: Pod): { names: string[]; main: string } {
  const spec = pod.spec as { initContainers?: { name: string }[]; containers?: { name: string }[] } | undefined;
  const own = (spec?.containers ?? []).map((one) => one.name);
  return { names: [...(spec?.initContainers ?? []).map((one) => one.name), ...own], main: own[0] ?? "" };
}

/** The log of one container of a pod. */
export function PodLogs({ pod }: { pod: Pod }) {
  const words = useWords().cluster;
  const { names, main } = containersOf(pod);
  const [chosen, choose] = useState("");
  const container = names.includes(chosen) ? chosen : main;
  const options = names.map((name) => ({ value: name, label: name }));
  return (
    <Stack>
      {names.length > 1 &&
        (names.length <= MAX_SEGMENTS ? (
          <Segments label={words.container} options={options} value={container} onChange={choose} />
        ) : (
          <Choice label={words.container} options={options} value={container} onChange={choose} />
        ))}
      <PodLog key={container} pod={pod} container={container} />
    </Stack>
  );
}
