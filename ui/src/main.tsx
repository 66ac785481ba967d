import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { SignedOut } from "./api/errors";
import { LiveContext } from "./api/hooks";
import { LiveConnection } from "./api/live";
import { SESSION_KEY } from "./api/session";
import { sessionEnded } from "./api/sessionEnd";
import { router } from "./app";
import { APPS } from "./apps";
import { AppsContext } from "./apps/context";
import { ConfirmProvider } from "./parts/overlay/ConfirmProvider";
import { ToastProvider } from "./parts/overlay/ToastProvider";
import "./parts/base.css";
import "./parts/tokens.css";
import { followSystem } from "./shell/scheme";
import { SpeechProvider } from "./words/SpeechProvider";

followSystem();

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => error instanceof SignedOut && sessionEnded() }),
  defaultOptions: { queries: { retry: (count, error) => !(error instanceof SignedOut) && count < 2, refetchOnWindowFocus: false } },
});
const live = new LiveConnection(() => `${location.origin.replace(/^http/, "ws")}/api/live`, sessionEnded, () => {
  // The session may have ended while there was no connection: then this is refused too, and the person is asked to sign in.
  void queries.invalidateQueries({ queryKey: SESSION_KEY });
});

const element = document.getElementById("root");
if (element === null) throw new Error("the page has no element with the id root");
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LiveContext value={live}>
        <SpeechProvider>
          <ToastProvider>
            <ConfirmProvider>
              <AppsContext value={APPS}>
                <RouterProvider router={router} />
              </AppsContext>
            </ConfirmProvider>
          </ToastProvider>
        </SpeechProvider>
      </LiveContext>
    </QueryClientProvider>
  </StrictMode>,
);
