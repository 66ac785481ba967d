import { useEffect, useRef } from "react";
import { closeViewer, openViewer } from "../api/volumes";
import type { VolumeRow } from "../../../kinds/generated";
import { CLAIMS } from "../kinds/volumes";
import { useToast } from "../../../parts/overlay/toasts";
import { useAction } from "../../../parts/overlay/useAction";
import { useWords } from "../../../words";

const POPUP = "popup,width=800,height=600";

interface FileBrowser {
  status: "closed" | "opening" | "open";
  busy: boolean;
  open: () => void;
  /** Shows one that is open already. */
  show: () => void;
  close: () => void;
}

/**
 * The file browser of a volume. Browsers let a page open a window only while a press is handled, so the window is opened
 * at once and led to the file browser when that has started.
 */
export function useFileBrowser(row: VolumeRow): FileBrowser {
  const words = useWords().volumes;
  const toast = useToast();
  const { busy, run } = useAction({ ...row, kind: CLAIMS.kind });
  const waiting = useRef<Window | null>(null);
  const { status, url } = row.viewer;
  const hasPage = status === "ready" || status === "warning"; // of a warning the gateway's page says the reason
  useEffect(() => {
    const popup = waiting.current;
    if (!hasPage || url === null || popup === null) return;
    waiting.current = null;
    popup.opener = null;
    popup.location.replace(url);
  }, [hasPage, url]);
  const open = () => {
    const popup = window.open("", `files-${row.uid}`, POPUP);
    if (popup === null) toast({ text: words.popupBlocked });
    else popup.document.body.textContent = words.popupText;
    waiting.current = popup;
    void run(() => openViewer(row)).then((done) => {
      if (!done) popup?.close();
    });
  };
  return {
    status: hasPage ? "open" : status === "uninitialized" ? "closed" : "opening",
    busy,
    open,
    show: () => void window.open(url ?? "", "_blank", `${POPUP},noopener`),
    close: () => void run(() => closeViewer(row)),
  };
}
