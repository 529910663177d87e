import type { ReactNode } from "react";
import { Button } from "../design/button.tsx";

interface MoreButtonProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly fetchNextPage: () => unknown;
  };
  /** The label: "Earlier builds". */
  readonly children: ReactNode;
}

/** Loads the next page of a list. Hidden on the last page. */
export function MoreButton({ query, children }: MoreButtonProps) {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  if (!hasNextPage) return null;
  return (
    <div className="flex flex-wrap items-center justify-center gap-3 border-t border-line p-3">
      {isFetchNextPageError && (
        <p role="alert" className="text-danger">
          Loading failed.
        </p>
      )}
      {/* Not disabled while loading: it would lose the focus. */}
      <Button onClick={() => void (isFetchingNextPage || fetchNextPage())}>
        {isFetchingNextPage ? "Loading…" : children}
      </Button>
    </div>
  );
}
