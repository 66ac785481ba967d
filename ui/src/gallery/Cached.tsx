import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

interface CachedProps {
  answers?: [key: QueryKey, data: unknown][];
  /** Those that were refused, with the message. */
  refusals?: [key: QueryKey, message: string][];
  children: ReactNode;
}

/** A story whose queries have been answered already. */
export function Cached({ answers = [], refusals = [], children }: CachedProps) {
  const [queries] = useState(() => {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retryOnMount: refusals.length === 0 } } });
    for (const [key, data] of answers) client.setQueryData(key, data);
    for (const [queryKey, message] of refusals) client.getQueryCache().build(client, { queryKey }).setState({ status: "error", error: new Error(message) });
    return client;
  });
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}
