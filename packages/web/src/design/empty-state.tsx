import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface EmptyStateProps {
  readonly icon: LucideIcon;
  readonly title: string;
  /** The title of the whole page, or of a part of it. */
  readonly level?: 1 | 2;
  /** What to do about it. */
  readonly children?: ReactNode;
}

/** Stands where there is nothing yet, and says how something gets there. */
export function EmptyState({ icon: Icon, title, level = 2, children }: EmptyStateProps) {
  const Heading = level === 1 ? "h1" : "h2";
  return (
    <div className="mx-auto flex w-full max-w-lg flex-col items-center gap-3 px-6 py-16 text-center">
      <span className="flex size-11 items-center justify-center rounded-xl bg-accent-soft text-accent">
        <Icon size={22} aria-hidden />
      </span>
      <Heading className="text-base font-semibold">{title}</Heading>
      <div className="flex max-w-full flex-col items-center gap-3 text-ink-soft">{children}</div>
    </div>
  );
}
