import { useCallback, useEffect, useRef, useState, type ReactNode } from "react";
import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Icon } from "../Icon";
import { ToastContext, type Toast } from "./toasts";
import styles from "./overlay.module.css";

const SHOWN_MS = 6_000;
const FAILED_MS = 15_000;

interface Shown extends Toast {
  id: number;
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<Shown[]>([]);
  const nextId = useRef(1);
  const remove = useCallback((id: number) => setToasts((shown) => shown.filter((toast) => toast.id !== id)), []);
  const add = useCallback((toast: Toast) => {
    const id = nextId.current++;
    setToasts((shown) => [...shown.slice(-3), { ...toast, id }]);
  }, []);
  return (
    <ToastContext value={add}>
      {children}
      <div className={styles.toasts} role="region" aria-live="polite" aria-label={useWords().shell.notifications}>
        {toasts.map((toast) => (
          <ToastBox key={toast.id} toast={toast} onClose={() => remove(toast.id)} />
        ))}
      </div>
    </ToastContext>
  );
}

function ToastBox({ toast, onClose }: { toast: Shown; onClose: () => void }) {
  const words = useWords();
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  useEffect(() => {
    const timer = setTimeout(() => close.current(), toast.durationMs ?? (toast.failed ? FAILED_MS : SHOWN_MS));
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div className={`${styles.toast ?? ""} ${toast.failed ? (styles.toastFailed ?? "") : ""}`} role={toast.failed ? "alert" : "status"}>
      <Icon name={toast.failed ? "error" : "info"} />
      <div className={styles.toastText}>
        {toast.text}
        {toast.detail !== undefined && <div className={styles.toastDetail}>{toast.detail}</div>}
      </div>
      {toast.undo && (
        <Button
          small
          label={words.common.undo}
          onPress={() => {
            toast.undo?.();
            onClose();
          }}
        />
      )}
      <Button small iconOnly look="quiet" icon="close" label={words.common.close} onPress={onClose} />
    </div>
  );
}
