import type { ReactNode } from "react";
import { ApiError } from "../api/api-error.ts";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";

interface LoadedProps<Data> {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}

/**
 * The content of a query, or a skeleton or error in its place. Content stays visible while the platform is
 * unreachable or failing, but not after a 4xx response.
 */
export function Loaded<Data>({ query, lines, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query;
  if (error !== null && (data === undefined || isGone(error))) {
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  return data === undefined ? <Skeleton {...(lines !== undefined && { lines })} /> : children(data);
}

function isGone(error: Error): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429;
}
