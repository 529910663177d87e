import { CircleAlert, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** 1 where it is the title of the page. */
  readonly level?: 1 | 2;
  /** What to do next. */
  readonly children?: ReactNode;
}

/** Shown in place of an empty list or page: what is missing, and what to do. */
export function EmptyState({ icon: Icon, title, level = 2, children }: EmptyStateProps) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <div className="mx-auto flex w-full max-w-lg flex-col items-center gap-3 px-6 py-16 text-center">
      <span className="flex size-11 items-center justify-center rounded-xl bg-accent-soft text-accent">
        <Icon size={22} aria-hidden />
      </span>
      <Heading className="text-base font-semibold">{title}</Heading>
      <div className="flex w-full flex-col items-center gap-3 text-ink-soft">{children}</div>
    </div>
  );
}

interface ErrorStateProps {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}

/** Shown in place of content that could not be loaded. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  return (
    <div
      role="alert"
      className="mx-auto flex w-full max-w-lg flex-col items-center gap-3 px-6 py-16 text-center"
    >
      <span className="flex size-11 items-center justify-center rounded-xl bg-danger-soft text-danger">
        <CircleAlert size={22} aria-hidden />
      </span>
      <p className="max-w-full break-words">{error.message}</p>
      {onRetry && <Button onClick={onRetry}>Retry</Button>}
    </div>
  );
}

const WIDTHS = ["w-11/12", "w-2/3", "w-4/5", "w-1/2", "w-3/4", "w-5/6"] as const;

/** Shown in place of content that is being loaded. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex animate-pulse flex-col gap-3 p-4">
      {WIDTHS.slice(0, lines).map((width) => (
        <div key={width} className={`h-4 rounded bg-line ${width}`} />
      ))}
    </div>
  );
}
