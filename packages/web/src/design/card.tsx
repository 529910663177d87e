import type { ReactNode } from "react";
import { useId } from "react";
import { classNames } from "./class-names.ts";

interface CardProps {
  readonly title?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a page with a border around it, known by its title. */
export function Card({ title, actions, className, children }: CardProps) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={title ? titleId : undefined}
      className={classNames("min-w-0 rounded-xl border border-line bg-surface", className)}
    >
      {title && (
        <header className="flex min-h-11 items-center justify-between gap-2 border-b border-line px-4 py-1.5">
          <h2 id={titleId} className="min-w-0 truncate font-semibold">
            {title}
          </h2>
          {actions && <div className="flex shrink-0 items-center gap-1.5">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}
