import type { Application } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CalendarSearch, FlaskConical } from "lucide-react";
import { newestTraceQuery } from "../api/analytics.ts";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Button, buttonClass } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { ErrorState } from "../design/error-state.tsx";
import { Skeleton } from "../design/skeleton.tsx";
import { useNow } from "../design/use-now.ts";
import { formatAgo } from "../format/format-time.ts";
import { Welcome } from "./welcome.tsx";

/** How often one looks whether the first call has come. */
const LOOK_AGAIN_MS = 3000;

interface NothingYetProps {
  readonly hasFilters: boolean;
  readonly onClearFilters: () => void;
  readonly onShowMonth: () => void;
}

/** Stands where the figures would be, and says why there are none. */
export function NothingYet(props: NothingYetProps) {
  const client = usePlatform();
  const newest = useQuery({
    ...newestTraceQuery(client),
    refetchInterval: ({ state }) => (state.data === null ? LOOK_AGAIN_MS : false),
  });
  const applications = useQuery({
    ...applicationsQuery(client),
    refetchInterval: newest.data === null ? LOOK_AGAIN_MS : false,
  });
  const error = newest.error ?? applications.error;
  if (newest.data === undefined || applications.data === undefined) {
    if (error === null) return <Skeleton lines={6} />;
    return <ErrorState error={error} onRetry={() => void newest.refetch()} />;
  }
  if (newest.data !== null) return <NothingHere newest={newest.data} {...props} />;
  if (applications.data.length === 0) return <Welcome origin={location.origin} />;
  return <NoCalls applications={applications.data} />;
}

function NoCalls({ applications }: { readonly applications: readonly Application[] }) {
  return (
    <EmptyState icon={FlaskConical} title="No calls yet">
      <p>Call one of your applications in the playground: its figures appear here at once.</p>
      <ul className="flex flex-wrap justify-center gap-2">
        {applications.slice(0, 6).map(({ slug }) => (
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

function NothingHere({
  newest,
  hasFilters,
  onClearFilters,
  onShowMonth,
}: NothingYetProps & { readonly newest: string }) {
  const now = useNow();
  return (
    <EmptyState icon={CalendarSearch} title="No calls in this time">
      <p>
        {hasFilters && "None that the filters let through. "}
        The last call of all was {formatAgo(newest, now)}.
      </p>
      <div className="flex flex-wrap justify-center gap-2">
        {hasFilters && <Button onClick={onClearFilters}>Remove the filters</Button>}
        <Button onClick={onShowMonth}>Show the last 30 days</Button>
      </div>
    </EmptyState>
  );
}
