import { useLocation } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useLogs, type LogSource } from "../../api/logs";
import type { Pod } from "../../kinds/generated";
import { LogView } from "../../parts/logs/LogView";

interface PodLogProps {
  pod: Pod;
  container: string;
}

/** The log of one container, followed. */
export function PodLog({ pod, container }: PodLogProps) {
  const { name, namespace = "", uid } = pod.metadata;
  const [isEarlier, setEarlier] = useState(false);
  const hash = useLocation({ select: (location) => location.hash });
  const sources = useMemo<LogSource[]>(() => [{ id: name, namespace, pod: name, container, uid }], [name, namespace, container, uid]);
  const streams = useLogs(sources, isEarlier);
  const restarts = pod.status?.containerStatuses?.find((one) => one.name === container)?.restartCount ?? 0;
  return (
    <LogView streams={streams} anchor={hash} fileName={name} {...(restarts > 0 ? { earlier: { isShown: isEarlier, onChange: setEarlier } } : {})} />
  );
}
