import { useMemo, useState } from "react";
import { Button } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { readConversation } from "./conversation.ts";
import { ConversationView } from "./conversation-view.tsx";
import { JsonView } from "./json-view.tsx";
import { LongText, WholeText } from "./long-text.tsx";

interface ValueViewProps {
  readonly value: unknown;
  /** The same once more as messages, where a client recorded both; shown if the value itself has none. */
  readonly messages?: unknown;
  /** The accessible name: "Inputs". */
  readonly label: string;
  /** It is inside a scrolling box: a long text need not be cut off. */
  readonly isScrolled?: boolean;
}

/** Shows a recorded value: a text as text, messages as a conversation, anything else as a tree. */
export function ValueView({ value, messages, label, isScrolled = false }: ValueViewProps) {
  const [isRaw, setRaw] = useState(false);
  const conversation = useMemo(
    () => readConversation(value) ?? readConversation(messages),
    [value, messages],
  );
  const what = label.toLowerCase();
  if (typeof value === "string") {
    return (
      <section aria-label={label} className="relative min-h-7 min-w-0">
        <div className="absolute top-0 right-0">
          <CopyButton what={what} text={value} />
        </div>
        {value === "" ? (
          <p className="py-1 text-ink-soft">Empty text</p>
        ) : (
          <bdi className="block pr-8 leading-relaxed">
            {isScrolled ? <WholeText text={value} /> : <LongText text={value} />}
          </bdi>
        )}
      </section>
    );
  }
  if (conversation === null) return <JsonView value={value} label={label} />;
  return (
    <section aria-label={label} className="min-w-0">
      <div className="mb-1 flex items-center justify-end">
        <Button look="quiet" size="small" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          Show as JSON
        </Button>
        {!isRaw && <CopyButton what={what} text={() => JSON.stringify(value, null, 2)} />}
      </div>
      {isRaw ? (
        <JsonView value={value} label={label} openDepth={6} />
      ) : (
        <ConversationView conversation={conversation} label={label} />
      )}
    </section>
  );
}
