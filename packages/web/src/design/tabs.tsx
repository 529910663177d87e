import { Tabs as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface Tab {
  readonly value: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Several views of one thing; only the chosen one is there. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  return (
    <Radix.Root value={value} onValueChange={onChange} className="flex min-h-0 flex-1 flex-col">
      <Radix.List
        aria-label={label}
        className="flex gap-1 overflow-x-auto border-b border-line px-2"
      >
        {tabs.map((tab) => (
          <Radix.Trigger
            key={tab.value}
            value={tab.value}
            className="-mb-px border-b-2 border-transparent px-2 py-2 font-medium whitespace-nowrap text-ink-soft hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {tab.label}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => (
        <Radix.Content
          key={tab.value}
          value={tab.value}
          className="relative min-h-0 flex-1 overflow-auto"
        >
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  );
}
