import { formatCompactCount } from "@agate/protocol/format";
import { ArrowUp, Pause, PlugZap, Radio } from "lucide-react";
import { type PointerEvent, useState } from "react";
import type { TraceListRequest } from "../../api/traces.ts";
import { Button } from "../../design/button.tsx";
import { classNames } from "../../design/class-names.ts";
import { type LiveRows, useLiveRows } from "./use-live-rows.ts";

interface LivePillProps {
  readonly tail: LiveTail;
  /** "trace" or "span". */
  readonly what: string;
  readonly onShow: () => void;
}

/** Over the list: how many rows wait to be shown. */
export function LivePill({ tail, what, onShow }: LivePillProps) {
  const { isOn, isPaused, live } = tail;
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
          title={isPaused ? "Resume and show new" : "Show new"}
          className="pointer-events-auto flex h-7 items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 font-medium text-accent shadow-lg hover:brightness-105"
        >
          {isPaused ? <Pause size={13} aria-hidden /> : <ArrowUp size={13} aria-hidden />}
          {label}
        </button>
      )}
      {isOn && isBroken && (
        <p className="flex h-7 items-center gap-1.5 rounded-full border border-warning bg-warning-soft px-3 font-medium text-warning shadow-lg">
          <PlugZap size={13} aria-hidden />
          Live tail disconnected. Reconnecting…
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

/** Turns the live tail on and off. */
export function LiveButton({ isOn, isBroken, onToggle }: LiveButtonProps) {
  return (
    <Button
      aria-pressed={isOn}
      onClick={onToggle}
      title={isOn ? "Stop the live tail" : "Show new traces as they arrive"}
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

export interface LiveTail {
  readonly isOn: boolean;
  /** On, but new rows wait, because they would move the row that is being read. */
  readonly isPaused: boolean;
  readonly live: LiveRows;
  /** For the element that holds the list. */
  readonly pointer: {
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerLeave: () => void;
  };
  onScroll(top: number): void;
  /** Resumes even with the pointer over the list, until the pointer moves again. */
  resume(): void;
}

interface LiveTailOptions {
  readonly isOn: boolean;
  readonly hasRows: boolean;
  readonly isSelected: boolean;
  /** Whether the platform accepts the filters. */
  readonly isValid: boolean;
  /** Called when the list may be read: its stream is open, or there is none for now. */
  readonly onSettled: () => void;
}

/**
 * The live tail of a list. It pauses while the pointer is over the list, a row is selected or the list
 * is scrolled down. Touch does not count as a pointer: it leaves no position behind.
 */
export function useLiveTail(request: TraceListRequest, options: LiveTailOptions): LiveTail {
  const { isOn, hasRows, isSelected, isValid, onSettled } = options;
  const [isPointed, setPointed] = useState(false);
  const [isScrolled, setScrolled] = useState(false);
  const isPaused = isOn && hasRows && (isPointed || isSelected || isScrolled);
  const isHeld = hasRows && (!isOn || isPaused);
  const live = useLiveRows(request, { isHeld, isValid, onSettled });
  return {
    isOn,
    isPaused,
    live,
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
