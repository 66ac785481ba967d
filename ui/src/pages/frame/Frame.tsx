import { useLocation, useSearch } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ALL, useNamespace } from "../../api/namespace";
import { useSession } from "../../api/session";
import { useWords } from "../../words";
import styles from "./Frame.module.css";
import { isFromFrame } from "./messages";

const CONNECTED = "iframe-connected";

/** An application of another product's menu entry, in a frame, with the messages that Kubeflow's dashboard exchanges with it. */
export function Frame() {
  const words = useWords().cluster;
  const { data: session, isPending } = useSession();
  const search: { ns?: string } = useSearch({ strict: false });
  const { chosen } = useNamespace();
  const frame = useRef<HTMLIFrameElement>(null);
  const address = useLocation({ select: (location) => location.href.replace(/^\/_/, "") });
  useEffect(() => {
    const send = (type: string, value: unknown) => frame.current?.contentWindow?.postMessage({ type, value }, location.origin);
    const choose = () => {
      if (chosen === ALL) send("all-namespaces", session?.memberships.map((one) => one.namespace) ?? []);
      else send("namespace-selected", chosen);
    };
    const receive = (event: MessageEvent<{ type?: string } | null>) => {
      if (!isFromFrame(event, frame.current?.contentWindow, location.origin)) return;
      if (event.data?.type !== CONNECTED) return;
      send("parent-connected", null);
      choose();
    };
    addEventListener("message", receive);
    choose();
    return () => removeEventListener("message", receive);
  }, [chosen, session]);
  // The namespace is about to come into the address, with which an application would start again.
  if (search.ns === undefined && (isPending || chosen !== "")) return null;
  return <iframe ref={frame} className={styles.frame} src={address} title={words.foreign} />;
}
