import { Brain, ChevronDown, ChevronRight, File, type LucideIcon, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { useState } from "react";
import { classNames } from "../design/class-names.ts";
import type { ChatMessage, ChatRole } from "./chat-message.ts";
import type { ChatPart, JsonObject } from "./chat-part.ts";
import type { Conversation } from "./conversation.ts";
import { JsonView } from "./json-view.tsx";
import { LongText } from "./long-text.tsx";
import { ShowMore } from "./show-more.tsx";

const SHORT_LENGTH = 60;

const LOOKS: Record<ChatRole, { readonly label: string; readonly look: string }> = {
  system: { label: "System", look: "border-transparent bg-sunken" },
  user: { label: "User", look: "border-transparent bg-accent-soft" },
  assistant: { label: "Assistant", look: "border-line bg-surface" },
  tool: { label: "Tool", look: "border-transparent bg-warning-soft" },
};

/** The messages of a conversation with their roles. */
export function ConversationView({
  conversation: { messages, rest },
  label,
}: {
  readonly conversation: Conversation;
  readonly label: string;
}) {
  return (
    <div className="flex flex-col gap-2">
      {/* The last messages matter most. */}
      <ShowMore items={messages} step={100} from="end">
        {(shown, offset) => (
          <ol aria-label={`${label}: messages`} className="flex flex-col gap-2">
            {shown.map((message, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a recorded conversation does not change.
              <Message key={offset + index} message={message} />
            ))}
          </ol>
        )}
      </ShowMore>
      {rest !== null && (
        <Collapsed summary={`Other fields: ${Object.keys(rest).join(", ").slice(0, 200)}`}>
          <JsonView value={rest} label={`${label}: other fields`} openDepth={1} />
        </Collapsed>
      )}
    </div>
  );
}

function Message({ message }: { readonly message: ChatMessage }) {
  const { role, recordedRole, parts, rest } = message;
  const { label, look } = LOOKS[role];
  const isRenamed = recordedRole.toLowerCase() !== role;
  return (
    <li className={classNames("min-w-0 rounded-lg border px-3 py-2", look)}>
      <p className="mb-1 text-xs font-semibold text-ink">
        {label}
        {isRenamed && <span className="font-normal"> ({recordedRole})</span>}
      </p>
      <div className="flex flex-col gap-2">
        {parts.length === 0 && <p className="text-ink-soft">No content</p>}
        {parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a recorded message does not change.
          <Part key={index} part={part} />
        ))}
        <OtherFields rest={rest} />
      </div>
    </li>
  );
}

/** The other fields of a message: short values in a line, long ones collapsed. */
function OtherFields({ rest }: { readonly rest: JsonObject }) {
  const entries = Object.entries(rest);
  if (entries.length === 0) return null;
  const isShort = entries.every(
    ([, value]) => typeof value !== "object" && String(value).length <= SHORT_LENGTH,
  );
  if (isShort) {
    return (
      <p className="text-xs break-words text-ink">
        {entries.map(([name, value]) => `${name}: ${String(value)}`).join(" · ")}
      </p>
    );
  }
  return (
    <Collapsed summary={entries.map(([name]) => name).join(", ")}>
      <JsonView value={rest} label="Other fields of the message" openDepth={1} />
    </Collapsed>
  );
}

function Part({ part }: { readonly part: ChatPart }) {
  switch (part.kind) {
    case "text":
      return <LongText text={part.text} />;
    case "reasoning":
      return (
        <Collapsed icon={Brain} summary="Reasoning">
          {part.text === "" ? (
            <p className="text-ink-soft">Not readable</p>
          ) : (
            <LongText text={part.text} />
          )}
        </Collapsed>
      );
    case "tool-call":
      return (
        <Tool title={`Calls ${part.name ?? "a tool"}`} id={part.id}>
          <Argument value={part.arguments} label={`Arguments of ${part.name ?? "the call"}`} />
        </Tool>
      );
    case "tool-result":
      return (
        <Tool title={part.name === null ? "Result" : `Result of ${part.name}`} id={part.id}>
          <Argument value={part.result} label="Result" />
        </Tool>
      );
    case "media":
      return (
        <p className="flex min-w-0 items-start gap-1.5 rounded-md border border-dashed border-line-strong bg-surface px-2 py-1.5">
          <File size={15} aria-hidden className="mt-0.5 shrink-0 text-ink-soft" />
          <span className="min-w-0 wrap-anywhere">
            {[part.what, ...part.about].join(" · ")}
            <span className="text-ink-soft"> (not loaded)</span>
          </span>
        </p>
      );
    case "other":
      return (
        <div className="rounded-md bg-surface px-2 py-1">
          <JsonView value={part.value} label="Part of the message" openDepth={1} />
        </div>
      );
  }
}

interface ToolProps {
  readonly title: string;
  readonly id: string | null;
  readonly children: ReactNode;
}

function Tool({ title, id, children }: ToolProps) {
  return (
    <div className="min-w-0 rounded-md border border-line bg-surface">
      <p className="flex min-w-0 items-center gap-1.5 border-b border-line px-2 py-1">
        <Wrench size={14} aria-hidden className="shrink-0 text-warning" />
        <bdi className="min-w-0 flex-1 truncate font-medium" title={title}>
          {title}
        </bdi>
        {id !== null && (
          <span className="max-w-32 truncate font-mono text-xs text-ink-soft" title={id}>
            {id}
          </span>
        )}
      </p>
      <div className="px-2 py-1">{children}</div>
    </div>
  );
}

function Argument({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (typeof value === "string" && value !== "") return <LongText text={value} />;
  return <JsonView value={value} label={label} openDepth={2} />;
}

interface CollapsedProps {
  readonly summary: string;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}

/** A line that expands. Its content is rendered when it does. */
function Collapsed({ summary, icon: Icon, children }: CollapsedProps) {
  const [isOpen, setOpen] = useState(false);
  const Chevron = isOpen ? ChevronDown : ChevronRight;
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="flex max-w-full items-center gap-1 rounded text-[0.93rem] text-ink hover:underline"
      >
        <Chevron size={14} aria-hidden className="shrink-0" />
        {Icon && <Icon size={14} aria-hidden className="shrink-0" />}
        <bdi className="truncate">{summary}</bdi>
      </button>
      {isOpen && <div className="mt-1 rounded-md bg-surface px-2 py-1.5">{children}</div>}
    </div>
  );
}
