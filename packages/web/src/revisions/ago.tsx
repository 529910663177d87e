import { useNow } from "../design/browser-state.ts";
import { formatTime, formatWhen } from "../format/format-time.ts";

/** A relative time, with the exact one as a tooltip. */
export function Ago({ time }: { readonly time: string }) {
  const now = useNow();
  return (
    <time dateTime={time} title={formatTime(time)} className="whitespace-nowrap">
      {formatWhen(time, now)}
    </time>
  );
}
