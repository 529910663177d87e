import { ArrowUp, Pause, PlugZap } from "lucide-react";
import { formatCount } from "../../format/format-count.ts";
import type { LiveRows } from "./use-live-rows.ts";

interface LivePillProps {
  readonly live: LiveRows;
  /** New traces would appear by themselves, were it not for the reader. */
  readonly isPaused: boolean;
  readonly isLive: boolean;
  /** "trace" or "span". */
  readonly what: string;
  readonly onShow: () => void;
}

/** Says over the list what waits to be shown, so that no row moves under the reader. */
export function LivePill({ live, isPaused, isLive, what, onShow }: LivePillProps) {
  const { newCount, hasGap, isBroken } = live;
  const hasNews = hasGap || newCount > 0;
  const news = hasGap ? "many new" : `${formatCount(newCount)} new`;
  const noun = newCount === 1 ? what : `${what}s`;
  const label = !isPaused ? `${news} ${noun}` : hasNews ? `Paused, ${news}` : "Paused";
  return (
    <div
      role="status"
      className="pointer-events-none absolute inset-x-0 top-0.5 z-30 flex flex-col items-center gap-2"
    >
      {(hasNews || isPaused) && (
        <button
          type="button"
          onClick={onShow}
          title={isPaused ? "Go on, and show what is new" : "Show them"}
          className="pointer-events-auto flex h-7 items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 font-medium text-accent shadow-lg hover:brightness-105"
        >
          {isPaused ? <Pause size={13} aria-hidden /> : <ArrowUp size={13} aria-hidden />}
          {label}
        </button>
      )}
      {isLive && isBroken && (
        <p className="flex h-7 items-center gap-1.5 rounded-full border border-warning bg-warning-soft px-3 font-medium text-warning shadow-lg">
          <PlugZap size={13} aria-hidden />
          The live tail broke off. Connecting again…
        </p>
      )}
    </div>
  );
}
