import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useSearch } from "@tanstack/react-router";
import { FolderX, PlugZap } from "lucide-react";
import { useMemo, useSyncExternalStore } from "react";
import { ApiError } from "../api/api-error.ts";
import type { Connection } from "../api/connection.ts";
import { PlatformClient } from "../api/platform-client.ts";
import { PlatformProvider } from "../api/platform-context.tsx";
import { isSessionQuery, mayDo, sessionQuery } from "../api/session.ts";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { useDocumentTitle } from "../design/page-header.tsx";
import { ToasterProvider } from "../design/toaster.tsx";
import { SignInPage } from "../sign-in/sign-in-page.tsx";
import { Navigation } from "./navigation.tsx";

/** The frame of every page: session, project, navigation. */
export function RootLayout({ connection }: { readonly connection: Connection }) {
  const { project } = useSearch({ from: "__root__" });
  const queries = useQueryClient();
  const client = useMemo(() => {
    // On a 401 (signed out in another tab, key revoked) the session is read again, which shows the sign-in page.
    const readSessionAgain = () => void queries.invalidateQueries({ predicate: isSessionQuery });
    return new PlatformClient(connection, project ?? null, readSessionAgain);
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

/** Shows the page to a caller that may read, else the sign-in page; the address stays as it is. */
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

/** Shown while the platform cannot be reached. */
function ConnectionBanner({ connection }: { readonly connection: Connection }) {
  const isUp = useSyncExternalStore(connection.subscribe, () => connection.isUp);
  return (
    <div role="status">
      {!isUp && (
        <p className="flex items-center justify-center gap-2 bg-warning-soft px-4 py-1.5 font-medium text-warning">
          <PlugZap size={16} aria-hidden className="shrink-0" />
          Can't reach Agate. Reconnecting…
        </p>
      )}
    </div>
  );
}

/** Shown for a project that does not exist, or that the caller may not see. */
function NoProject({ project }: { readonly project: string | null }) {
  return (
    <main>
      <EmptyState icon={FolderX} level={1} title={`No project “${project}”`}>
        <p>It was renamed or deleted, or your key belongs to another project.</p>
        {/* Not a link of the router: those keep the project. */}
        <a href="/" className="font-medium text-accent underline">
          Go to your project
        </a>
      </EmptyState>
    </main>
  );
}

/** Announces a page change to screen readers: links change the page without a load event. */
function PageAnnouncer() {
  return (
    <p role="status" className="sr-only">
      {useDocumentTitle()}
    </p>
  );
}

/** The id of the main element. */
export const CONTENT_ID = "content";

/** The first tab stop, hidden until focused: skips the navigation. */
function SkipLink() {
  return (
    <a
      href={`#${CONTENT_ID}`}
      // Without a hash in the address: that belongs to the router.
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(CONTENT_ID)?.focus();
      }}
      className="sr-only z-50 rounded-md bg-accent px-3 py-2 font-medium text-accent-ink focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
    >
      Skip to content
    </a>
  );
}
