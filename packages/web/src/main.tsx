import { notifyManager, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { isForLater, laterMs } from "./api/api-error.ts";
import { Connection } from "./api/connection.ts";
import { onSessionChange } from "./api/session.ts";
import { createPageRouter } from "./app/create-page-router.tsx";
import { reloadForLostParts } from "./app/lazy-page.ts";
import { repairLanguage, repairStorage } from "./app/repair-browser.ts";
import { followTheme } from "./app/theme.ts";
import { KeptRuns, KeptRunsProvider } from "./playground/kept-runs/kept-runs.ts";
import "./styles.css";

repairLanguage();
repairStorage();
followTheme();

// Before the next event: a second click must find that the first is under way.
notifyManager.setScheduler(queueMicrotask);

const connection = new Connection();
reloadForLostParts(connection);
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // What was answered stays so, but for "later"; an unreachable platform is asked by the connection.
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
// Everything: nothing of what was read or run may be shown to the next person who signs in.
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
