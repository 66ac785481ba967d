import { QueryClient, QueryClientProvider, onlineManager } from "@tanstack/react-query";
import { RouterProvider, createMemoryHistory, createRootRoute, createRouter } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { SESSION_KEY, type Session } from "../api/session";
import { APPS } from "../apps";
import { AppsContext } from "../apps/context";
import { ConfirmProvider } from "../parts/overlay/ConfirmProvider";
import { ToastProvider } from "../parts/overlay/ToastProvider";
import { SpeechContext, type Language } from "../words";
import { en } from "../words/en";
import { zh } from "../words/zh";

// Queries wait instead of asking a server that is not there; a story puts what it needs into the cache.
onlineManager.setOnline(false);

const SESSION: Session = {
  user: "ada@example.com",
  version: "0.1.0",
  logoutUrl: "/oauth2/sign_out",
  isClusterAdmin: false, hasMachineView: false,
  memberships: [
    { namespace: "ml", role: "owner" },
    { namespace: "vision", role: "contributor" },
  ],
  hasWorkgroup: true,
  registrationAllowed: true,
};

function newQueries(): QueryClient {
  const queries = new QueryClient();
  queries.setQueryData(SESSION_KEY, SESSION);
  return queries;
}

function newRouter(story: () => ReactNode) {
  const root = createRootRoute({ component: story, validateSearch: (search: Record<string, string>) => search });
  return createRouter({ routeTree: root, history: createMemoryHistory() });
}

/** What every component of the dashboard may rely on, without a server. */
export function Providers({ language, story }: { language: Language; story: () => ReactNode }) {
  const queries = useMemo(newQueries, []);
  const router = useMemo(() => newRouter(story), [story]);
  const speech = useMemo(() => ({ language, words: language === "zh" ? zh : en, setLanguage: () => undefined }), [language]);
  return (
    <QueryClientProvider client={queries}>
      <SpeechContext value={speech}>
        <ToastProvider>
          <ConfirmProvider>
            <AppsContext value={APPS}>
              <RouterProvider router={router} />
            </AppsContext>
          </ConfirmProvider>
        </ToastProvider>
      </SpeechContext>
    </QueryClientProvider>
  );
}
