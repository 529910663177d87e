import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { ApiError } from "../api/api-error.ts";
import type { Connection } from "../api/connection.ts";
import { PlatformClient } from "../api/platform-client.ts";
import { PlatformProvider } from "../api/platform-context.tsx";
import { isSessionQuery, mayDo, sessionQuery } from "../api/session.ts";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";
import { ToasterProvider } from "../design/toaster.tsx";
import { SignInPage } from "../sign-in/sign-in-page.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { Navigation } from "./navigation.tsx";
import { NoProject } from "./no-project.tsx";
import { PageAnnouncer } from "./page-announcer.tsx";
import { CONTENT_ID, SkipLink } from "./skip-link.tsx";

/** What is around every page: who reads, which project, where one can go. */
export function RootLayout({ connection }: { readonly connection: Connection }) {
  const { project } = useSearch({ from: "__root__" });
  const queries = useQueryClient();
  const client = useMemo(() => {
    // Signed out elsewhere, or the key was revoked: whoever reads is asked for one.
    const askWho = () => void queries.invalidateQueries({ predicate: isSessionQuery });
    return new PlatformClient(connection, project ?? null, askWho);
  }, [connection, project, queries]);
  return (
    <PlatformProvider value={client}>
      <ToasterProvider>
        <div className="flex h-dvh flex-col">
          <ConnectionBanner connection={connection} />
          <Gate client={client} />
          <PageAnnouncer />
        </div>
      </ToasterProvider>
    </PlatformProvider>
  );
}

/** Lets in whoever the platform knows, and asks the others for a key; the address stays as it is. */
function Gate({ client }: { readonly client: PlatformClient }) {
  const session = useQuery(sessionQuery(client));
  const caller = session.data?.caller;
  if (caller === null || (caller !== undefined && !mayDo(session.data, "read"))) {
    return <SignInPage unable={caller} />;
  }
  if (session.data === undefined) {
    if (session.error === null) return <Skeleton />;
    if (session.error instanceof ApiError && session.error.has("project_not_found")) {
      return <NoProject project={client.project} />;
    }
    return <ErrorState error={session.error} onRetry={() => void session.refetch()} />;
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col-reverse md:flex-row">
      <SkipLink />
      <Navigation session={session.data} />
      <main
        id={CONTENT_ID}
        tabIndex={-1}
        className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto"
      >
        <Outlet />
      </main>
    </div>
  );
}
