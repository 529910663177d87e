import type { Session } from "@agate/protocol";
import { Link, useLocation } from "@tanstack/react-router";
import {
  Boxes,
  ChartNoAxesColumn,
  FlaskConical,
  Gauge,
  ListChecks,
  ListTree,
  type LucideIcon,
} from "lucide-react";
import icon from "../icon.svg";
import { CommandMenu } from "./command-menu.tsx";
import { NAVIGATION_CLASS, PLACE_CLASS, PLACES, type Place } from "./places.ts";
import { UserMenu } from "./user-menu.tsx";

const ICONS: Record<Place, LucideIcon> = {
  "/": ChartNoAxesColumn,
  "/playground": FlaskConical,
  "/traces": ListTree,
  "/testsets": ListChecks,
  "/runs": Gauge,
  "/apps": Boxes,
};

/** The main navigation: beside the page, on a phone below it. */
export function Navigation({ session }: { readonly session: Session }) {
  const { pathname } = useLocation();
  return (
    <nav aria-label="Main" className={NAVIGATION_CLASS}>
      <Link to="/" className="mb-4 flex items-center gap-2 px-1.5 py-1 max-md:hidden">
        <img src={icon} alt="" className="size-6" />
        <span className="text-base font-semibold tracking-tight">Agate</span>
      </Link>
      <CommandMenu />
      <ul className="flex gap-0.5 max-md:flex-1 md:flex-col">
        {PLACES.map(({ to, label, below }) => {
          const Icon = ICONS[to];
          return (
            <li key={to} className="flex max-md:flex-1 md:flex-col">
              <Link
                to={to}
                activeOptions={{ exact: true, includeSearch: false }}
                aria-current={below.test(pathname) ? "page" : undefined}
                className={PLACE_CLASS}
              >
                <Icon size={17} aria-hidden />
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
      <div className="md:mt-auto">
        <UserMenu session={session} />
      </div>
    </nav>
  );
}
