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
 * What was asked for, or what stands in its place. What was read before stays while the platform is
 * away or in trouble, but not when the platform says that it is gone.
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
