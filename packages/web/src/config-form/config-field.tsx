import type { ConfigFieldSchema } from "@agate/protocol";
import { isNullable, isRecord, isSameJson } from "@agate/protocol";
import { Plus } from "lucide-react";
import { type ReactNode, useId } from "react";
import { Badge } from "../design/badge.tsx";
import { Button } from "../design/button.tsx";
import { classNames } from "../design/class-names.ts";
import { Field } from "../design/field.tsx";
import { blankValue } from "./blank-value.ts";
import { allText, CompositeField } from "./composite-field.tsx";
import { ownField, withoutField, withValue } from "./config-values.ts";
import { controlOf } from "./control-of.ts";
import { FieldName } from "./field-name.tsx";
import { type FieldProblem, problemsBelow } from "./field-problem.ts";
import { ItemButtons, useListEdits } from "./list-edit.tsx";
import { MessagesControl } from "./messages-control.tsx";
import { PresenceSwitch } from "./presence-switch.tsx";
import { idsOf, ProblemLine } from "./problem-line.tsx";
import { RevertButtons } from "./revert-buttons.tsx";
import { ScalarControl } from "./scalar-control.tsx";
import { UnknownFields } from "./unknown-fields.tsx";

interface ConfigFieldProps {
  readonly name: string;
  readonly field: ConfigFieldSchema;
  readonly value: unknown;
  /** The value before the edits; null inside a list, where items move. */
  readonly base: { readonly value: unknown } | null;
  /** With paths relative to this field. */
  readonly problems: readonly FieldProblem[];
  /** Needs a value: there is no default. */
  readonly isRequired?: boolean;
  /** Another column has another value. */
  readonly isDiffering?: boolean;
  /** Undefined removes the field. */
  readonly onChange: (value: unknown) => void;
  readonly onRevert: () => void;
}

/** One parameter: its control, its problems, and buttons to revert it. */
export function ConfigField(props: ConfigFieldProps) {
  const { name, field, value, base, problems, isRequired, isDiffering, onChange } = props;
  const isChanged = base !== null && !isSameJson(value, base.value);
  const control = controlOf(field);
  const isComposite = control === "group" || control === "list" || control === "messages";
  const isSet = value !== undefined && value !== null;
  const mayBeUnset = isNullable(field) || (field.default === undefined && isRequired !== true);
  const label = field.title ?? name;
  const aside = (
    <>
      {isDiffering && <Badge>differs</Badge>}
      {isChanged && <Badge tone="accent">changed</Badge>}
      {mayBeUnset && (
        <PresenceSwitch label={label} field={field} value={value} onChange={onChange} />
      )}
    </>
  );
  const heading = <FieldName name={name} title={field.title} />;
  return (
    <div
      className={classNames(
        // The mark is in the margin, so that changed fields stay aligned with the others.
        "-ml-[calc(0.5rem+2px)] flex flex-col gap-1 border-l-2 pl-2",
        isChanged ? "border-accent" : "border-transparent forced-colors:border-[Canvas]",
      )}
    >
      {isComposite ? (
        <CompositeField
          heading={heading}
          description={field.description}
          problems={problems}
          aside={aside}
          isEmpty={!isSet}
        >
          <CompositeControl
            field={field}
            label={label}
            value={value}
            base={base}
            problems={problems}
            onChange={onChange}
          />
        </CompositeField>
      ) : (
        <Field
          label={heading}
          description={field.description}
          problem={allText(problems)}
          aside={aside}
          isInline={control === "checkbox"}
        >
          {(ids) =>
            isSet || !mayBeUnset ? (
              <ScalarControl
                field={field}
                label={label}
                ids={ids}
                value={value}
                onChange={onChange}
              />
            ) : null
          }
        </Field>
      )}
      {base !== null && control !== "group" && (
        <RevertButtons
          name={name}
          value={value}
          base={base.value}
          initial={field.default}
          onRevert={props.onRevert}
          onUseDefault={() => onChange(field.default)}
        />
      )}
    </div>
  );
}

interface CompositeControlProps {
  readonly field: ConfigFieldSchema;
  readonly label: string;
  readonly value: unknown;
  readonly base: ConfigFieldProps["base"];
  readonly problems: readonly FieldProblem[];
  readonly onChange: (value: unknown) => void;
}

function CompositeControl(props: CompositeControlProps) {
  const { field, label, value, base, problems, onChange } = props;
  const control = controlOf(field);
  if (control === "group") {
    const values = isRecord(value) ? value : {};
    return (
      <GroupFields
        field={field}
        values={values}
        base={base}
        problems={problems}
        onChange={onChange}
      />
    );
  }
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return control === "messages" ? (
    <MessagesControl
      field={field}
      label={label}
      value={items}
      problems={problems}
      onChange={onChange}
    />
  ) : (
    <ListControl
      field={field}
      label={label}
      items={items}
      problems={problems}
      onChange={onChange}
    />
  );
}

interface GroupFieldsProps extends Pick<CompositeControlProps, "field" | "base" | "problems"> {
  readonly values: Readonly<Record<string, unknown>>;
  readonly onChange: (values: Readonly<Record<string, unknown>>) => void;
}

/** The fields of an object, each with its own control. */
function GroupFields({ field, values, base, problems, onChange }: GroupFieldsProps) {
  const { properties = {}, required = [] } = field;
  const before = isRecord(base?.value) ? base.value : null;
  const unknown = Object.keys(values).filter((name) => !Object.hasOwn(properties, name));
  return (
    <div className="flex flex-col gap-3">
      {Object.entries(properties).map(([name, inner]) => (
        <ConfigField
          key={name}
          name={name}
          field={inner}
          value={ownField(values, name)}
          base={before === null ? null : { value: ownField(before, name) }}
          problems={problemsBelow(problems, name)}
          isRequired={required.includes(name)}
          onChange={(value) => onChange(withValue(values, name, value))}
          onRevert={() =>
            onChange(withValue(values, name, before === null ? undefined : ownField(before, name)))
          }
        />
      ))}
      <UnknownFields
        names={unknown}
        values={values}
        problems={problems}
        onRemove={(name) => onChange(withoutField(values, name))}
      />
    </div>
  );
}

interface ListControlProps extends Pick<CompositeControlProps, "field" | "label" | "problems"> {
  readonly items: readonly unknown[];
  readonly onChange: (items: readonly unknown[]) => void;
}

/** A list whose items can be edited, moved, removed and added. */
function ListControl({ field, label, items, problems, onChange }: ListControlProps) {
  const { container, edit } = useListEdits(items, onChange);
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items: itemField } = field;
  if (itemField === undefined) return null;
  return (
    <div ref={container} className="flex flex-col gap-2">
      <ol className="flex flex-col gap-2">
        {items.map((item, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: items have no other identity.
            key={index}
            data-list-place={`item ${index}`}
          >
            <ListItem
              field={itemField}
              name={`item ${index + 1} of ${label}`}
              place={index + 1}
              item={item}
              problems={problemsBelow(problems, index)}
              buttons={
                <ItemButtons
                  name={`item ${index + 1} of ${label}`}
                  index={index}
                  length={items.length}
                  minItems={minItems}
                  onEdit={edit}
                />
              }
              onChange={(value) => edit({ kind: "change", index, item: value })}
            />
          </li>
        ))}
      </ol>
      <Button
        size="small"
        look="quiet"
        data-list-place="add"
        disabled={items.length >= maxItems}
        onClick={() => edit({ kind: "add", item: blankValue(itemField) })}
        className="self-start"
      >
        <Plus size={14} aria-hidden /> Add item
      </Button>
    </div>
  );
}

interface ListItemProps {
  readonly field: ConfigFieldSchema;
  /** `item 2 of weights` */
  readonly name: string;
  /** From 1. */
  readonly place: number;
  readonly item: unknown;
  readonly problems: readonly FieldProblem[];
  readonly buttons: ReactNode;
  readonly onChange: (value: unknown) => void;
}

function ListItem(props: ListItemProps) {
  const { field, name, place, item, problems, buttons, onChange } = props;
  const id = useId();
  const control = controlOf(field);
  const toggle = isNullable(field) && (
    <PresenceSwitch label={name} field={field} value={item} onChange={onChange} />
  );
  if (control === "group" || control === "list" || control === "messages") {
    return (
      // biome-ignore lint/a11y/useSemanticElements: a legend cannot have buttons beside it.
      <div
        role="group"
        aria-label={name}
        className="flex flex-col gap-2 rounded-md border border-line p-2"
      >
        <div className="flex items-center gap-2">
          <span aria-hidden className="min-w-0 flex-1 text-[0.93rem] text-ink-soft">
            {place}
          </span>
          {toggle}
          {buttons}
        </div>
        <ProblemLine
          id={`${id}-problem`}
          text={allText(problems.filter(({ path }) => path.length === 0))}
        />
        {item !== null && (
          <CompositeControl
            field={field}
            label={name}
            value={item}
            base={null}
            problems={problems}
            onChange={onChange}
          />
        )}
      </div>
    );
  }
  const problem = allText(problems);
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          {item !== null && (
            <ScalarControl
              field={field}
              label={name}
              ids={idsOf(id, name, problem !== undefined)}
              value={item}
              isCompact
              onChange={onChange}
            />
          )}
        </div>
        {toggle}
        {buttons}
      </div>
      <ProblemLine id={`${id}-problem`} text={problem} />
    </div>
  );
}
