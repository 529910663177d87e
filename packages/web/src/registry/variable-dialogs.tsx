import type { Variable } from "@agate/protocol";
import { variableNameFault } from "@agate/protocol";
import { useState } from "react";
import { changeVariables } from "../api/variables.ts";
import { FormDialog } from "../design/dialog.tsx";
import { Checkbox, Field, TextArea, TextInput } from "../design/field.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useConfirmedChange } from "../revisions/use-confirmed-change.ts";
import { parseEnv } from "./parse-env.ts";

const REFUSAL = "No changes made";
const RESTART = "The live build of the environment is restarted with the new values.";

interface DialogProps {
  readonly app: string;
  /** Its id. */
  readonly environment: string;
  readonly onClose: () => void;
}

interface SetVariableProps extends DialogProps {
  /** The one to set again; null asks for a name. */
  readonly variable: Variable | null;
  readonly onDone: (name: string) => void;
}

/** Sets one variable. */
export function SetVariableDialog(props: SetVariableProps) {
  const { app, environment, variable, onDone, onClose } = props;
  const [name, setName] = useState(variable?.name ?? "");
  const [value, setValue] = useState(variable?.value ?? "");
  const [isSecret, setSecret] = useState(variable?.secret ?? true);
  const setting = useConfirmedChange({
    change: (client, _: undefined) => {
      const set = { [name]: isSecret ? value : { value, plain: true as const } };
      return changeVariables(client, app, environment, { set });
    },
    refusal: REFUSAL,
    onDone: () => {
      onClose();
      onDone(name);
    },
  });
  const fault = name === "" ? undefined : variableNameFault(name);
  return (
    <FormDialog
      title={variable === null ? "New variable" : `Set ${variable.name}`}
      action="Set"
      onClose={onClose}
      onSubmit={() => setting.mutate(undefined)}
      isPending={setting.isPending}
      isEmpty={name === "" || fault !== undefined}
    >
      {variable === null && (
        <Field label="Name" problem={fault && `${fault}.`}>
          {(ids) => (
            <TextInput
              {...ids}
              value={name}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setName(event.target.value.trim())}
            />
          )}
        </Field>
      )}
      <Field label="Value" description={RESTART}>
        {(ids) => (
          <TextArea
            {...ids}
            className="font-mono"
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setValue(event.target.value)}
          />
        )}
      </Field>
      <SecretField isSecret={isSecret} onChange={setSecret} />
      {setting.error !== null && <ChangeFailure title={REFUSAL} error={setting.error} />}
    </FormDialog>
  );
}

interface ImportVariablesProps extends DialogProps {
  readonly onDone: (count: number) => void;
}

/** Sets the variables of a `.env` file as one change. */
export function ImportVariablesDialog({ app, environment, onDone, onClose }: ImportVariablesProps) {
  const [text, setText] = useState("");
  const [isSecret, setSecret] = useState(true);
  const found = Object.entries(parseEnv(text));
  const usable = found.filter(([name]) => variableNameFault(name) === undefined);
  const skipped = found.length - usable.length;
  const importing = useConfirmedChange({
    change: (client, _: undefined) => {
      const set = Object.fromEntries(
        usable.map(([name, value]) => [name, isSecret ? value : { value, plain: true as const }]),
      );
      return changeVariables(client, app, environment, { set });
    },
    refusal: REFUSAL,
    onDone: () => {
      onClose();
      onDone(usable.length);
    },
  });
  return (
    <FormDialog
      title="Import .env"
      action={usable.length > 1 ? `Set ${usable.length} variables` : "Set"}
      onClose={onClose}
      onSubmit={() => importing.mutate(undefined)}
      isPending={importing.isPending}
      isEmpty={usable.length === 0}
    >
      <Field
        label="Content of the file"
        description={`NAME=value lines, set as one change. ${RESTART}`}
      >
        {(ids) => (
          <TextArea
            {...ids}
            className="font-mono"
            value={text}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      {skipped > 0 && (
        <p className="text-ink-soft">
          Skips {skipped === 1 ? "1 name" : `${skipped} names`} that Agate sets itself.
        </p>
      )}
      <SecretField isSecret={isSecret} onChange={setSecret} />
      {importing.error !== null && <ChangeFailure title={REFUSAL} error={importing.error} />}
    </FormDialog>
  );
}

interface SecretFieldProps {
  readonly isSecret: boolean;
  readonly onChange: (isSecret: boolean) => void;
}

function SecretField({ isSecret, onChange }: SecretFieldProps) {
  return (
    <Field
      label="Secret"
      description="Encrypted, and never shown again. Replaced in logs and spans."
      isInline
    >
      {(ids) => (
        <Checkbox
          {...ids}
          checked={isSecret}
          onChange={(event) => onChange(event.target.checked)}
        />
      )}
    </Field>
  );
}
