import type { ReactNode } from "react";
import { useEffect, useSyncExternalStore } from "react";

interface PageHeaderProps {
  readonly title: ReactNode;
  /** Small, after the title: a status. */
  readonly beside?: ReactNode;
  /** Small, above the title: breadcrumbs. */
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
}

/** The top of a page. */
export function PageHeader({ title, beside, above, actions }: PageHeaderProps) {
  return (
    <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-2 px-4 pt-4 pb-3 md:px-6">
      <div className="min-w-0">
        {above && <div className="mb-0.5 text-[0.93rem] text-ink-soft">{above}</div>}
        <div className="flex flex-wrap items-center gap-x-3">
          <h1 className="min-w-0 text-xl font-semibold tracking-tight wrap-anywhere">{title}</h1>
          {beside}
        </div>
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  );
}

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Agate`;
  }, [title]);
}

/** The title of the browser tab. */
export function useDocumentTitle(): string {
  return useSyncExternalStore(subscribe, () => document.title);
}

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.head, { childList: true, characterData: true, subtree: true });
  return () => observer.disconnect();
}
