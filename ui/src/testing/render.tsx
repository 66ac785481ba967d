/** Components in a page without a server: what is asked of it is in the cache, or is answered by a stub of `fetch`. */
import { QueryClient, QueryClientProvider, type QueryKey } from "@tanstack/react-query";
import { RouterProvider, createMemoryHistory, createRootRoute, createRouter } from "@tanstack/react-router";
import { act, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi, type Mock } from "vitest";
import { APPS } from "../apps";
import { AppsContext } from "../apps/context";
import { ConfirmProvider } from "../parts/overlay/ConfirmProvider";
import { ToastProvider } from "../parts/overlay/ToastProvider";
import { SpeechContext, type Words } from "../words";
import { en } from "../words/en";

interface Surroundings {
  answers?: [key: QueryKey, data: unknown][];
  words?: Words;
}

export async function renderPage(element: ReactNode, { answers = [], words = en }: Surroundings = {}): Promise<void> {
  const queries = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity, retry: false } } });
  for (const [key, data] of answers) queries.setQueryData(key, data);
  const root = createRootRoute({ component: () => element, validateSearch: (search: Record<string, string>) => search });
  const router = createRouter({ routeTree: root, history: createMemoryHistory() });
  render(
    <QueryClientProvider client={queries}>
      <SpeechContext value={{ language: words === en ? "en" : "zh", words, setLanguage: () => undefined }}>
        <ToastProvider>
          <ConfirmProvider>
            <AppsContext value={APPS}>
              <RouterProvider router={router} />
            </AppsContext>
          </ConfirmProvider>
        </ToastProvider>
      </SpeechContext>
    </QueryClientProvider>,
  );
  await act(() => router.load());
}

/** The answer to a question for the rights in a namespace: these and no others. */
export const rights = (namespace: string, ...rules: { verbs: string[]; apiGroups: string[]; resources: string[] }[]): [key: QueryKey, data: unknown] => [
  ["rights", namespace],
  { status: { resourceRules: rules } },
];

export type Answer = (method: string, path: string, init: RequestInit) => { status?: number; body?: unknown };

/** Answers every request; each call is kept. */
export function stubFetch(answer: Answer): Mock<(path: string, init: RequestInit) => Promise<Response>> {
  const fetch = vi.fn((path: string, init: RequestInit) => {
    const { status = 200, body = {} } = answer(init.method ?? "GET", path, init);
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  });
  vi.stubGlobal("fetch", fetch);
  return fetch;
}
