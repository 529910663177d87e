import type { ReactNode } from "react";

interface SingleLayoutProps {
  readonly panel: ReactNode;
  readonly cases: ReactNode;
}

/**
 * One configuration beside its cases; on a phone above them. Each scrolls by itself, and is `relative`:
 * names for screen readers alone are placed absolutely, and would lengthen the page around it instead.
 */
export function SingleLayout({ panel, cases }: SingleLayoutProps) {
  return (
    <div className="flex min-h-0 flex-1 border-t border-line max-lg:flex-col">
      <div className="relative border-line bg-surface max-lg:border-b lg:w-80 lg:shrink-0 lg:overflow-y-auto lg:border-r xl:w-88">
        {panel}
      </div>
      <div className="relative flex min-w-0 flex-1 flex-col gap-3 p-3 lg:overflow-y-auto lg:p-4">
        {cases}
      </div>
    </div>
  );
}
