import { CalendarSearch } from "lucide-react";
import { useNow } from "../design/browser-state.ts";
import { Button } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { formatAgo } from "../format/format-time.ts";

interface NothingHereProps {
  /** When the last call of all was. */
  readonly newest: string;
  readonly hasFilters: boolean;
  readonly onClearFilters: () => void;
  readonly onShowMonth: () => void;
}

/** There were calls, but none that the page was asked for. */
export function NothingHere(props: NothingHereProps) {
  const { newest, hasFilters } = props;
  const now = useNow();
  return (
    <EmptyState
      icon={CalendarSearch}
      title={hasFilters ? "No calls with these filters in this time" : "No calls in this time"}
    >
      <p>The last call of all was {formatAgo(newest, now)}.</p>
      <div className="flex flex-wrap justify-center gap-2">
        {hasFilters && <Button onClick={props.onClearFilters}>Remove the filters</Button>}
        <Button onClick={props.onShowMonth}>Show the last 30 days</Button>
      </div>
    </EmptyState>
  );
}
