import { useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { Route as RouteIcon } from "lucide-react";
import { ApiError } from "../api/api-error.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { spanQuery } from "../api/span.ts";
import { EmptyState, ErrorState, Skeleton } from "../design/empty-state.tsx";
import { routeCallOf } from "../trace-view/route-call.ts";

interface RouteOfSpanProps {
  readonly app: string;
  readonly spanId: string;
}

/** Leads from a recorded call, where the address names nothing else, to its route. */
export function RouteOfSpan({ app, spanId }: RouteOfSpanProps) {
  const span = useQuery(spanQuery(usePlatform(), spanId));
  const { error } = span;
  if (error instanceof ApiError && error.status === 404) {
    return <WithoutIt app={app} title={error.message} />;
  }
  if (span.data === undefined) {
    if (error === null) return <Skeleton lines={6} />;
    return <ErrorState error={error} onRetry={() => void span.refetch()} />;
  }
  const call = routeCallOf(span.data);
  if (call === null) return <WithoutIt app={app} title="This span is no call of a route" />;
  return (
    <Navigate
      to="/apps/$app/playground"
      params={{ app: call.app }}
      search={{ route: call.route, span: spanId }}
      replace
    />
  );
}

function WithoutIt({ app, title }: { readonly app: string; readonly title: string }) {
  return (
    <EmptyState icon={RouteIcon} title={title}>
      <p>Only a recorded call of a route can be opened here.</p>
      <Link to="/apps/$app/playground" params={{ app }} className="text-accent underline">
        Open the playground without it
      </Link>
    </EmptyState>
  );
}
