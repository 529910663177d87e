import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";

/** The breadcrumb above the title of an application's pages. */
export function AppBreadcrumb({ app }: { readonly app?: string }) {
  return (
    <nav aria-label="Breadcrumb" className="flex items-center gap-1">
      <Link to="/apps" activeOptions={{ exact: true }} className="hover:text-ink hover:underline">
        Applications
      </Link>
      {app !== undefined && (
        <>
          <ChevronRight size={14} aria-hidden />
          <Link
            to="/apps/$app"
            params={{ app }}
            activeOptions={{ exact: true }}
            className="truncate hover:text-ink hover:underline"
          >
            {app}
          </Link>
        </>
      )}
    </nav>
  );
}
