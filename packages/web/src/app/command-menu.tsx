import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { spanQuery } from "../api/trace.ts";
import { Modal } from "../design/dialog.tsx";
import { useToaster } from "../design/toaster.tsx";
import { type Command, commandsFor, type Destination } from "./command.ts";

/** Jumps to a page, an application, a route or an id: Ctrl+K, on a Mac ⌘K. */
export function CommandMenu() {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpen((isNow) => !isNow);
      }
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, []);
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="mb-3 flex h-8 items-center gap-2 rounded-md border border-line bg-canvas px-2.5 text-ink-soft hover:border-line-strong max-md:hidden"
      >
        <Search size={14} aria-hidden />
        <span className="flex-1 text-left">Jump to…</span>
        <kbd className="font-sans text-xs">{isMac() ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      {isOpen && <CommandDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function CommandDialog({ onClose }: { readonly onClose: () => void }) {
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const applications = useQuery(applicationsQuery(usePlatform())).data ?? [];
  const jump = useJump();
  const commands = commandsFor(typed, applications);
  const run = ({ destination }: Command) => {
    onClose();
    jump(destination);
  };
  const move = (by: number) =>
    setChosen((at) => (at + by + commands.length) % Math.max(commands.length, 1));
  return (
    <Modal aria-label="Jump to" onClose={onClose} className="mx-auto mt-[12dvh] max-w-xl">
      <input
        role="combobox"
        aria-label="Page, application, route, id or search text"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={commands.length > 0 ? `${listId}-${chosen}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Page, application, route, trace id, search…"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setChosen(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") move(1);
          else if (event.key === "ArrowUp") move(-1);
          else if (event.key === "Enter" && commands[chosen]) run(commands[chosen]);
          else return;
          event.preventDefault();
        }}
        className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
      />
      <div
        id={listId}
        role="listbox"
        aria-label="Destinations"
        className="max-h-[50dvh] overflow-y-auto p-1.5"
      >
        {commands.map((command, index) => (
          <CommandOption
            key={`${command.group} ${command.label}`}
            id={`${listId}-${index}`}
            command={command}
            isChosen={index === chosen}
            onPoint={() => setChosen(index)}
            onRun={() => run(command)}
          />
        ))}
      </div>
    </Modal>
  );
}

interface CommandOptionProps {
  readonly id: string;
  readonly command: Command;
  readonly isChosen: boolean;
  readonly onPoint: () => void;
  readonly onRun: () => void;
}

function CommandOption({ id, command, isChosen, onPoint, onRun }: CommandOptionProps) {
  const option = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (isChosen) option.current?.scrollIntoView({ block: "nearest" });
  }, [isChosen]);
  return (
    <button
      type="button"
      tabIndex={-1}
      ref={option}
      id={id}
      role="option"
      aria-selected={isChosen}
      onMouseMove={onPoint}
      onClick={onRun}
      className="flex h-9 w-full cursor-pointer text-left items-center justify-between gap-3 rounded-md px-2.5 aria-selected:bg-accent-soft aria-selected:text-accent"
    >
      <span className="truncate">{command.label}</span>
      <span className="shrink-0 text-xs text-ink-soft">{command.group}</span>
    </button>
  );
}

function useJump(): (destination: Destination) => void {
  const navigate = useNavigate();
  const client = usePlatform();
  const queries = useQueryClient();
  const toaster = useToaster();
  return (destination) => {
    switch (destination.to) {
      case "span": {
        queries.fetchQuery(spanQuery(client, destination.spanId)).then(
          ({ trace_id, id }) =>
            void navigate({
              to: "/traces/$traceId",
              params: { traceId: trace_id },
              search: { span: id },
            }),
          (error: Error) => toaster.failed(error.message),
        );
        return;
      }
      case "/traces/$traceId":
        void navigate({ to: destination.to, params: { traceId: destination.traceId } });
        return;
      case "/apps/$app":
        void navigate({ to: destination.to, params: { app: destination.app } });
        return;
      case "/apps/$app/playground":
        void navigate({
          to: destination.to,
          params: { app: destination.app },
          search: { route: destination.route },
        });
        return;
      case "/traces":
        void navigate({ to: "/traces", search: "q" in destination ? { q: destination.q } : {} });
        return;
      default:
        void navigate({ to: destination.to });
    }
  };
}

function isMac(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
