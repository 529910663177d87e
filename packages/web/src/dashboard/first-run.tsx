import type { Application } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { sessionQuery } from "../api/session.ts";
import { buttonClass } from "../design/button.tsx";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { Welcome } from "./welcome.tsx";

const MOST_APPLICATIONS = 6;
const LOOK_AGAIN_MS = 2000;

/** Nothing was ever recorded: how to begin. The page changes by itself when the first call comes. */
export function FirstRun() {
  const client = usePlatform();
  const session = useQuery(sessionQuery(client));
  const applications = useQuery({ ...applicationsQuery(client), refetchInterval: LOOK_AGAIN_MS });
  if (applications.data === undefined) {
    if (applications.error === null) return <Skeleton lines={6} />;
    return <ErrorState error={applications.error} onRetry={() => void applications.refetch()} />;
  }
  if (applications.data.length > 0) return <NoCalls applications={applications.data} />;
  return (
    <Welcome origin={location.origin} needsKey={session.data?.caller?.is_operator === false} />
  );
}

function NoCalls({ applications }: { readonly applications: readonly Application[] }) {
  return (
    <EmptyState icon={FlaskConical} title="No calls yet">
      <p>Call an application in the playground: its figures appear here at once.</p>
      <ul className="flex flex-wrap justify-center gap-2">
        {applications.slice(0, MOST_APPLICATIONS).map(({ slug }) => (
          <li key={slug}>
            <Link
              to="/apps/$app/playground"
              params={{ app: slug }}
              className={buttonClass("primary")}
            >
              <FlaskConical size={15} aria-hidden />
              {slug}
            </Link>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}
