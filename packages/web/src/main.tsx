import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/api-error.ts";
import { Connection } from "./api/connection.ts";
import { createPageRouter } from "./app/create-page-router.tsx";
import { reloadForLostParts } from "./app/lazy-page.ts";
import { repairLanguage } from "./app/repair-language.ts";
import { readTheme, showTheme } from "./app/theme.ts";
import "./styles.css";

repairLanguage();
showTheme(readTheme());

const connection = new Connection();
reloadForLostParts(connection);
const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error) => {
      // Signed out elsewhere, or the key was revoked: whoever reads is asked for one.
      if (error instanceof ApiError && error.status === 401) {
        void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] === "session" });
      }
    },
  }),
  defaultOptions: {
    queries: {
      // What was answered stays so; an unreachable platform is asked by the connection.
      retry: false,
      staleTime: 5000,
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});
connection.subscribe(() => {
  if (connection.isUp) void queries.invalidateQueries();
});

const root = document.getElementById("page");
if (root === null) throw new Error("The page has no element #page.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={createPageRouter(connection)} />
    </QueryClientProvider>
  </StrictMode>,
);
