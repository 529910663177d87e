import type { Project, Session } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { BookOpen, Check, CircleUser, EyeOff, KeyRound, LogOut } from "lucide-react";
import { useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { projectsQuery, useSignOut } from "../api/session.ts";
import { classNames } from "../design/class-names.ts";
import { Menu, MenuHeading, MenuItem, MenuLine } from "../design/menu.tsx";
import { useToaster } from "../design/toaster.tsx";
import { keepTheme, readTheme, THEMES, type Theme } from "./theme.ts";

const THEME_NAMES: Record<Theme, string> = {
  system: "System",
  light: "Light",
  dark: "Dark",
};

/** The signed-in key, its project, the theme, settings. */
export function UserMenu({ session }: { readonly session: Session }) {
  const { caller, project } = session;
  // Only an operator may switch projects. Read before the menu opens, so that its items do not move.
  const isOperator = caller?.is_operator === true;
  const projects = useQuery({ ...projectsQuery(usePlatform()), enabled: isOperator }).data ?? [];
  const navigate = useNavigate();
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="flex items-center gap-2.5 rounded-md text-left hover:bg-sunken max-md:h-full max-md:px-2.5 md:w-full md:px-2 md:py-1.5"
        >
          <CircleUser size={18} aria-hidden className="shrink-0 text-ink-soft" />
          <span className="min-w-0 leading-tight max-md:hidden">
            <span className="block truncate font-medium">{project?.slug}</span>
            <span className="block truncate text-xs text-ink-soft">{caller?.name}</span>
          </span>
          <span className="sr-only">Project, theme and settings</span>
        </button>
      }
    >
      {isOperator && <ProjectItems projects={projects} current={project?.id} />}
      <ThemeItems />
      <MenuLine />
      <MenuItem onSelect={() => void navigate({ to: "/settings/keys" })}>
        <KeyRound size={15} aria-hidden className="text-ink-soft" />
        API keys
      </MenuItem>
      <MenuItem onSelect={() => void navigate({ to: "/settings/redaction" })}>
        <EyeOff size={15} aria-hidden className="text-ink-soft" />
        Redaction
      </MenuItem>
      <MenuItem onSelect={() => window.open("/docs", "_blank", "noopener")}>
        <BookOpen size={15} aria-hidden className="text-ink-soft" />
        API reference
      </MenuItem>
      {caller?.is_operator === false && <SignOutItem />}
    </Menu>
  );
}

interface ProjectItemsProps {
  readonly projects: readonly Project[];
  readonly current: string | undefined;
}

function ProjectItems({ projects, current }: ProjectItemsProps) {
  const navigate = useNavigate();
  if (projects.length < 2) return null;
  return (
    <>
      <MenuHeading>Project</MenuHeading>
      {projects.map(({ id, slug }) => (
        <MenuItem
          key={id}
          // To the dashboard: the current page shows an object of the other project.
          onSelect={() => void navigate({ to: "/", search: { project: slug } })}
        >
          <Mark isOn={id === current} />
          {slug}
        </MenuItem>
      ))}
      <MenuLine />
    </>
  );
}

function ThemeItems() {
  // Read when the menu opens: another tab may have changed it.
  const [theme] = useState(readTheme);
  return (
    <>
      <MenuHeading>Theme</MenuHeading>
      {THEMES.map((each) => (
        <MenuItem key={each} onSelect={() => keepTheme(each)}>
          <Mark isOn={each === theme} />
          {THEME_NAMES[each]}
        </MenuItem>
      ))}
    </>
  );
}

function SignOutItem() {
  const toaster = useToaster();
  const signOut = useSignOut((error) => toaster.failed(`Sign-out failed: ${error.message}`));
  return (
    <MenuItem onSelect={() => signOut.mutate()}>
      <LogOut size={15} aria-hidden className="text-ink-soft" />
      Sign out
    </MenuItem>
  );
}

function Mark({ isOn }: { readonly isOn: boolean }) {
  return (
    <Check
      size={15}
      aria-label={isOn ? "selected" : undefined}
      className={classNames("shrink-0", isOn ? "text-accent" : "invisible")}
    />
  );
}
