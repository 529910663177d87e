import type { Application } from "@agate/protocol";
import { Link, useNavigate } from "@tanstack/react-router";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useKeptFlag } from "../design/browser-state.ts";
import { IconButton } from "../design/button.tsx";
import { Select } from "../design/field.tsx";

interface RouteListProps {
  readonly applications: readonly Application[];
  readonly app: string;
  readonly route: string | undefined;
}

/** All routes: a list beside the page, on narrow screens a dropdown above it. */
export function RouteList(props: RouteListProps) {
  return (
    <>
      <RouteBar applications={props.applications} />
      <RouteSelect {...props} />
    </>
  );
}

function RouteBar({ applications }: Pick<RouteListProps, "applications">) {
  const [isHidden, setHidden] = useKeptFlag("agate-playground-routes-folded");
  if (isHidden) {
    return (
      <div className="border-r border-line p-2 max-lg:hidden">
        <IconButton icon={PanelLeftOpen} label="Show routes" onClick={() => setHidden(false)} />
      </div>
    );
  }
  return (
    <nav
      aria-label="Routes"
      className="relative flex w-46 shrink-0 flex-col overflow-y-auto border-r border-line p-2 max-lg:hidden"
    >
      <div className="flex items-center justify-between pb-1 pl-2">
        <span className="text-xs font-medium text-ink-soft">Applications</span>
        <IconButton icon={PanelLeftClose} label="Hide routes" onClick={() => setHidden(true)} />
      </div>
      <ul className="flex flex-col gap-3">
        {applications.map(({ slug, routes }) => (
          <li key={slug} className="min-w-0">
            <p className="truncate px-2 py-1 font-medium" title={slug}>
              {slug}
            </p>
            {routes === null && <p className="px-2 text-[0.93rem] text-ink-soft">No routes yet</p>}
            <ul>
              {routes?.map((path) => (
                <li key={path}>
                  <Link
                    to="/apps/$app/playground"
                    params={{ app: slug }}
                    search={{ route: path }}
                    activeOptions={{ includeSearch: true, includeHash: false }}
                    title={path}
                    className="block truncate rounded-md px-2 py-1 font-mono text-[0.93rem] text-ink-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
                  >
                    {path}
                  </Link>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function RouteSelect({ applications, app, route }: RouteListProps) {
  const navigate = useNavigate();
  return (
    <div className="px-4 pt-3 lg:hidden">
      <Select
        aria-label="Route"
        className="w-full"
        value={`${app} ${route ?? ""}`}
        onChange={({ target }) => {
          // Slugs contain no spaces.
          const [slug = "", path = ""] = target.value.split(/ (.*)/);
          void navigate({
            to: "/apps/$app/playground",
            params: { app: slug },
            search: { route: path },
          });
        }}
      >
        {route === undefined && <option value={`${app} `}>Choose a route</option>}
        {applications.map(({ slug, routes }) => (
          <optgroup key={slug} label={slug}>
            {(routes ?? []).map((path) => (
              <option key={path} value={`${slug} ${path}`}>
                {path}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
    </div>
  );
}
