/** Short messages at the edge of the page: what was done, what failed, and what can still be undone. */
import { createContext, useContext } from "react";

export interface Toast {
  text: string;
  detail?: string | undefined;
  failed?: boolean;
  /** Offered as a button; the toast goes when it is used. */
  undo?: () => void;
  durationMs?: number;
}

export const ToastContext = createContext<(toast: Toast) => void>(() => undefined);

export const useToast = (): ((toast: Toast) => void) => useContext(ToastContext);
