import { notifyManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isForLater, laterMs } from "./api/api-error.ts";
import { Connection } from "./api/connection.ts";
import { keepFirstAnswers } from "./api/first-answers.ts";
import { PlatformClient } from "./api/platform-client.ts";
import { onSessionChange } from "./api/session.ts";
import { createPageRouter, reloadForLostParts } from "./app/create-page-router.tsx";
import { repairLanguage, repairStorage } from "./app/repair-browser.ts";
import { followTheme } from "./app/theme.ts";
import { KeptRuns, KeptRunsProvider } from "./playground/kept-runs/kept-runs.ts";
import "./styles.css";

repairLanguage();
repairStorage();
followTheme();

// Synchronously before the next event: a second click must see that the first mutation is pending.
notifyManager.setScheduler(queueMicrotask);

const connection = new Connection();
reloadForLostParts(connection);
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Only responses with Retry-After are retried; `Connection` reconnects to an unreachable platform.
      retry: isForLater,
      retryDelay: laterMs,
      staleTime: 5000,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
connection.subscribe(() => {
  if (connection.isUp) void queries.invalidateQueries();
});
const keptRuns = new KeptRuns();
// Everything: data of one session must not be shown in the next.
onSessionChange(() => {
  void keptRuns.clear();
  void queries.resetQueries();
});

const { searchParams } = new URL(window.location.href);
const project = searchParams.getAll("project").at(-1) ?? null;
keepFirstAnswers(queries, new PlatformClient(connection, project));

const router = createPageRouter(connection);
const root = document.getElementById("page");
if (root === null) throw new Error("The page has no element #page.");
// Rows that the document shows stay until the list can take their place: a placeholder between would flicker.
if (root.firstElementChild !== null) void router.load().finally(() => show(root));
else show(root);

function show(container: HTMLElement): void {
  createRoot(container).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <KeptRunsProvider value={keptRuns}>
          <RouterProvider router={router} />
        </KeptRunsProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
