import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

/** A story whose queries have been answered already. */
export function Cached({ answers, children }: { answers: [key: QueryKey, data: unknown][]; children: ReactNode }) {
  const [queries] = useState(() => {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
    for (const [key, data] of answers) client.setQueryData(key, data);
    return client;
  });
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
}
