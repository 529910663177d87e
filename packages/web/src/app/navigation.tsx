import type { Session } from "@agate/protocol";
import { Link, useLocation } from "@tanstack/react-router";
import { Boxes, ChartNoAxesColumn, FlaskConical, Gauge, ListChecks, ListTree } from "lucide-react";
import icon from "../icon.svg";
import { CommandMenu } from "./command-menu.tsx";
import { UserMenu } from "./user-menu.tsx";

const PLACES = [
  { to: "/", label: "Dashboard", icon: ChartNoAxesColumn, below: /^\/$/ },
  {
    to: "/playground",
    label: "Playground",
    icon: FlaskConical,
    below: /^(?:\/playground|\/apps\/[^/]+\/playground)$/,
  },
  { to: "/traces", label: "Traces", icon: ListTree, below: /^\/traces/ },
  { to: "/testsets", label: "Test sets", icon: ListChecks, below: /^\/testsets/ },
  { to: "/runs", label: "Runs", icon: Gauge, below: /^\/runs/ },
  {
    to: "/apps",
    label: "Applications",
    icon: Boxes,
    below: /^\/apps(?:\/[^/]+(?:\/(?!playground$).*)?)?$/,
  },
] as const;

const LINK_CLASS =
  "flex items-center gap-2.5 rounded-md text-ink-soft transition-colors hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent max-md:flex-1 max-md:flex-col max-md:gap-0.5 max-md:py-1.5 max-md:text-center max-md:text-[0.7rem] md:h-9 md:px-2.5";

/** The main navigation: beside the page, on a phone below it. */
export function Navigation({ session }: { readonly session: Session }) {
  const { pathname } = useLocation();
  return (
    <nav
      aria-label="Main"
      className="flex shrink-0 border-line bg-surface max-md:border-t max-md:px-2 md:w-52 md:flex-col md:border-r md:p-3"
    >
      <Link to="/" className="mb-4 flex items-center gap-2 px-1.5 py-1 max-md:hidden">
        <img src={icon} alt="" className="size-6" />
        <span className="text-base font-semibold tracking-tight">Agate</span>
      </Link>
      <CommandMenu />
      <ul className="flex gap-0.5 max-md:flex-1 md:flex-col">
        {PLACES.map(({ to, label, icon: Icon, below }) => (
          <li key={to} className="flex max-md:flex-1 md:flex-col">
            <Link
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              aria-current={below.test(pathname) ? "page" : undefined}
              className={LINK_CLASS}
            >
              <Icon size={17} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <div className="md:mt-auto">
        <UserMenu session={session} />
      </div>
    </nav>
  );
}
