import { useNow } from "../design/browser-state.ts";
import { formatTime, formatWhen } from "../format/format-time.ts";

/** How long ago something was; when exactly, on hover. */
export function Ago({ time }: { readonly time: string }) {
  const now = useNow();
  return (
    <time dateTime={time} title={formatTime(time)} className="whitespace-nowrap">
      {formatWhen(time, now)}
    </time>
  );
}
