import { formatCompactCount } from "@agate/protocol/format";
import { ArrowUp, Pause, PlugZap, Radio } from "lucide-react";
import { type PointerEvent, useState } from "react";
import { Button } from "../../design/button.tsx";
import { classNames } from "../../design/class-names.ts";
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
  const news = hasGap ? "many new" : `${formatCompactCount(newCount)} new`;
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

interface LiveButtonProps {
  readonly isOn: boolean;
  readonly isBroken: boolean;
  readonly onToggle: () => void;
}

/** Whether new traces appear by themselves. */
export function LiveButton({ isOn, isBroken, onToggle }: LiveButtonProps) {
  return (
    <Button
      aria-pressed={isOn}
      onClick={onToggle}
      title={isOn ? "New traces appear by themselves" : "Let new traces appear by themselves"}
      className={classNames(isOn && "border-accent! bg-accent-soft! text-accent!")}
    >
      <Radio
        size={15}
        aria-hidden
        className={classNames(isOn && !isBroken && "motion-safe:animate-pulse")}
      />
      Live
    </Button>
  );
}

interface LivePause {
  /** Whether somebody reads, so that no row may move. */
  readonly isOn: boolean;
  /** For the element that holds the list. */
  readonly pointer: {
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
  };
  onScroll(top: number): void;
  /** Goes on although the pointer is still there: until it moves again. */
  resume(): void;
}

/**
 * Somebody reads while the pointer is over the list, while a row is selected, and while the list is
 * scrolled down. A finger stays nowhere; whoever reads with one scrolls.
 */
export function usePause(isSelected: boolean): LivePause {
  const [isPointed, setPointed] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  return {
    isOn: isPointed || isSelected || isScrolled,
    pointer: {
      onPointerMove: (event) => setPointed(event.pointerType !== "touch"),
      onPointerLeave: () => setPointed(false),
    },
    onScroll: (top) => setScrolled(top > 0),
    resume: () => {
      setPointed(false);
      setScrolled(false);
    },
  };
}
