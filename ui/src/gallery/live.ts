/** What a live view is in each of its phases. */
import type { Live } from "../api/hooks";

const retry = () => undefined;

export const loading = <T>(): Live<T> => ({ phase: "loading", data: undefined, problem: undefined, since: undefined, retry });

export const live = <T>(data: T): Live<T> => ({ phase: "live", data, problem: undefined, since: undefined, retry });

export const stale = <T>(data: T): Live<T> => ({ ...live(data), phase: "stale", since: Date.now() - 90_000 });

export const failed = <T>(data?: T): Live<T> => ({
  phase: "error",
  data,
  problem: { status: 503, reason: "ServiceUnavailable", message: "The API server does not answer: connection refused at 127.0.0.1:6443." },
  since: Date.now() - 90_000,
  retry,
});

export const forbidden = <T>(): Live<T> => ({
  ...failed<T>(),
  problem: { status: 403, reason: "Forbidden", message: 'notebooks.kubeflow.org is forbidden: User "bob@example.com" cannot list resource "notebooks" in API group "kubeflow.org" in the namespace "ml"' },
});
