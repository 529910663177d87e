import { Button } from "../../design/button.tsx";

interface ListEndProps {
  readonly query: {
    readonly isFetchingNextPage: boolean;
    readonly isFetchNextPageError: boolean;
    readonly error: Error | null;
    readonly fetchNextPage: () => unknown;
  };
  readonly hasMore: boolean;
  readonly count: number;
  readonly what: string;
}

/** What comes after the last row: more, or nothing. */
export function ListEnd({ query, hasMore, count, what }: ListEndProps) {
  return (
    <div className="flex min-h-14 items-center justify-center gap-3 p-3 text-ink-soft">
      {query.isFetchNextPageError && (
        <p role="alert" className="text-danger">
          {query.error?.message}
        </p>
      )}
      {hasMore ? (
        <Button
          size="small"
          disabled={query.isFetchingNextPage}
          onClick={() => query.fetchNextPage()}
        >
          {query.isFetchingNextPage ? "Loading more…" : "Load more"}
        </Button>
      ) : (
        <p>
          That is all: {count.toLocaleString("en")} {count === 1 ? what : `${what}s`}.
        </p>
      )}
    </div>
  );
}
