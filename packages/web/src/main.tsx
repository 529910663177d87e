import { notifyManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isForLater, laterMs } from "./api/api-error.ts";
import { Connection } from "./api/connection.ts";
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

const root = document.getElementById("page");
if (root === null) throw new Error("The page has no element #page.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <KeptRunsProvider value={keptRuns}>
        <RouterProvider router={createPageRouter(connection)} />
      </KeptRunsProvider>
    </QueryClientProvider>
  </StrictMode>,
);
