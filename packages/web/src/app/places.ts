/** The pages that the navigation leads to. */
export const PLACES = [
  { to: "/", label: "Dashboard", below: /^\/$/ },
  {
    to: "/playground",
    label: "Playground",
    below: /^(?:\/playground|\/apps\/[^/]+\/playground)$/,
  },
  { to: "/traces", label: "Traces", below: /^\/traces/ },
  { to: "/testsets", label: "Test sets", below: /^\/testsets/ },
  { to: "/runs", label: "Runs", below: /^\/runs/ },
  {
    to: "/apps",
    label: "Applications",
    below: /^\/apps(?:\/[^/]+(?:\/(?!playground$).*)?)?$/,
  },
] as const;

export type Place = (typeof PLACES)[number]["to"];

export const NAVIGATION_CLASS =
  "flex shrink-0 border-line bg-surface max-md:border-t max-md:px-2 md:w-52 md:flex-col md:border-r md:p-3";
export const PLACE_CLASS =
  "flex items-center gap-2.5 rounded-md text-ink-soft transition-colors hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent max-md:flex-1 max-md:flex-col max-md:gap-0.5 max-md:py-1.5 max-md:text-center max-md:text-[0.7rem] md:h-9 md:px-2.5";
