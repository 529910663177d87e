import type { FieldIds } from "../design/field.tsx";
import { TextArea, TextInput } from "../design/field.tsx";

interface TextInputControlProps {
  readonly ids: FieldIds;
  readonly format: string | null;
  readonly text: string;
  readonly onText: (text: string) => void;
}

interface Line {
  readonly type: "text" | "email" | "url" | "date";
  readonly placeholder?: string;
}

/** Formats of JSON Schema whose texts are one line. */
const LINES: Readonly<Record<string, Line>> = {
  email: { type: "email", placeholder: "name@example.org" },
  uri: { type: "url", placeholder: "https://…" },
  date: { type: "date" },
  "date-time": { type: "text", placeholder: "2026-11-15T10:00:00Z" },
  time: { type: "text", placeholder: "10:00:00" },
  uuid: { type: "text", placeholder: "00000000-0000-4000-8000-000000000000" },
};

/** A text: one line where the format says so, else an area that grows with it. */
export function TextInputControl({ ids, format, text, onText }: TextInputControlProps) {
  const line = format !== null && Object.hasOwn(LINES, format) ? LINES[format] : undefined;
  // One line cannot show what has several, and would throw the ends of them away.
  if (line === undefined || text.includes("\n")) {
    return <TextArea {...ids} value={text} onChange={(event) => onText(event.target.value)} />;
  }
  // The browser's calendar shows nothing at all of what is no date.
  const isOddDate = line.type === "date" && text !== "" && !/^\d{4}-\d\d-\d\d$/.test(text);
  return (
    <TextInput
      {...ids}
      type={isOddDate ? "text" : line.type}
      placeholder={line.placeholder}
      value={text}
      onChange={(event) => onText(event.target.value)}
    />
  );
}
