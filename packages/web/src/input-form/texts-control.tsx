import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../design/button.tsx";
import type { FieldIds } from "../design/field.tsx";
import { TextArea } from "../design/field.tsx";

interface TextsControlProps {
  readonly ids: FieldIds;
  readonly label: string;
  readonly texts: readonly string[];
  readonly onTexts: (texts: readonly string[]) => void;
}

/** A list of texts, one area each. */
export function TextsControl({ ids, label, texts, onTexts }: TextsControlProps) {
  const { id, ...about } = ids;
  return (
    <div className="flex flex-col gap-1.5">
      {texts.map((text, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: texts may be equal; their places are not.
        <div key={index} className="flex items-start gap-1">
          <TextArea
            {...about}
            id={index === 0 ? id : undefined}
            aria-label={`${label}, text ${index + 1}`}
            value={text}
            onChange={(event) => onTexts(texts.with(index, event.target.value))}
          />
          <IconButton
            icon={X}
            label={`Remove text ${index + 1} of ${label}`}
            onClick={() => onTexts(texts.toSpliced(index, 1))}
          />
        </div>
      ))}
      <Button
        size="small"
        look="quiet"
        id={texts.length === 0 ? id : undefined}
        onClick={() => onTexts([...texts, ""])}
        className="self-start"
      >
        <Plus size={14} aria-hidden /> Add a text
      </Button>
    </div>
  );
}
