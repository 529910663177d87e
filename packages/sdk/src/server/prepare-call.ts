import type { ErrorDetail, ResolvedConfig } from "@agate/protocol";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ConfigOutcome } from "../config/config-schema.ts";
import type { Issue } from "../config/config-validation-error.ts";
import {
  type ConfigReference,
  type ConfigResolution,
  UNNAMED_APPLICATION,
} from "../config-source/config-source.ts";
import type { Identity } from "../context/call-state.ts";
import type { Dictionary } from "../context/routing-context.ts";
import type { RouteDefinition, RouteMatch } from "../routes/route-table.ts";
import {
  ENVELOPE_FIELDS,
  type Envelope,
  type PlaygroundVariant,
  playgroundVariant,
  readBody,
  readEnvelope,
  type Wanted,
  wantedBy,
} from "./call-envelope.ts";
import { type CallError, callError } from "./call-error.ts";
import type { CallSignal } from "./call-signal.ts";
import { checkInputs, inputDetails, inputProblems } from "./check-inputs.ts";
import type { IncomingCall } from "./incoming-call.ts";
import type { Workflow } from "./workflow.ts";

/** A call that may run: everything the client and the registry said is checked. */
export interface PreparedCall {
  /** The handler's own. */
  readonly config: object;
  readonly inputs: unknown;
  readonly identity: Identity;
  /** `default@3`: what the playground's caller has edited; null where nothing was, or it is not said. */
  readonly editedFrom: string | null;
  /** The configurations of all routes in the revision; null on the playground. */
  readonly params: ResolvedConfig["params"] | null;
  readonly staleConfig: boolean;
}

export type Preparation =
  | { readonly kind: "ready"; readonly call: PreparedCall }
  | Refused
  | { readonly kind: "client-gone" }
  // A schema or a source that threw is a fault of the program, as is one that took too long.
  | { readonly kind: "broken"; readonly thrown: unknown; readonly inputs?: unknown };

/** What is known of a call that may not run is recorded: it tells why, and the call can be tried again. */
export interface Refused {
  readonly kind: "refused";
  readonly error: CallError;
  readonly inputs?: unknown;
  /** As it was sent or stored, if it is what is wrong. */
  readonly config?: unknown;
  readonly identity?: Identity;
}

/** Reads and checks everything that a call needs, before the function runs. Never rejects. */
export async function prepareCall(
  workflow: Workflow,
  match: RouteMatch,
  incoming: IncomingCall,
  signal: CallSignal,
): Promise<Preparation> {
  try {
    const body = await signal.beforeDeadline(readBody(incoming, workflow.maxBodyBytes));
    if (body.kind !== "read") return body;
    const envelope = readEnvelope(body.value, match.endpoint);
    if (envelope !== null) {
      const checked = checkCall(workflow, match.route, envelope, incoming, signal);
      return checked instanceof Promise ? await checked : checked;
    }
    const { envelopeFaults } = await import("./body-fault.ts");
    return invalid(envelopeFaults(body.value, ENVELOPE_FIELDS[match.endpoint]));
  } catch (thrown) {
    incoming.stopReading();
    return { kind: "broken", thrown };
  }
}

// Answers at once where nothing has to be waited for: it is on every call's path.
function checkCall(
  workflow: Workflow,
  route: RouteDefinition,
  envelope: Envelope,
  incoming: IncomingCall,
  signal: CallSignal,
): Preparation | Promise<Preparation> {
  const { inputs: given } = envelope;
  const broken = (thrown: unknown): Preparation => ({ kind: "broken", thrown, inputs: given });
  try {
    const configuring =
      envelope.endpoint === "playground"
        ? fromGiven(workflow, route, envelope.config, signal, playgroundVariant(incoming.header))
        : incoming.evaluated?.isOfCode
          ? fromGiven(workflow, route, {}, signal, null, {})
          : fromSource(workflow, route, wantedBy(envelope.wanted, incoming.header), signal);
    const checking =
      configuring instanceof Promise
        ? configuredLater(route, given, signal, configuring)
        : checkConfigured(route, given, signal, configuring);
    return checking instanceof Promise ? checking.catch(broken) : checking;
  } catch (thrown) {
    return broken(thrown);
  }
}

async function configuredLater(
  route: RouteDefinition,
  given: unknown,
  signal: CallSignal,
  configuring: Promise<Configured>,
): Promise<Preparation> {
  return checkConfigured(route, given, signal, await signal.beforeDeadline(configuring));
}

function checkConfigured(
  route: RouteDefinition,
  given: unknown,
  signal: CallSignal,
  configured: Configured,
): Preparation | Promise<Preparation> {
  signal.step = "checking the inputs";
  if (configured.kind === "refused") return withInputProblems(route, given, signal, configured);
  const { call } = configured;
  const checking = checkInputs(route, given);
  return checking instanceof Promise
    ? checkedLater(given, signal, call, checking)
    : withInputs(given, call, checking);
}

/** A client that sent a bad configuration and bad inputs hears of both at once. */
async function withInputProblems(
  route: RouteDefinition,
  given: unknown,
  signal: CallSignal,
  configured: Refused,
): Promise<Preparation> {
  const detail =
    configured.error.status === 422 ? await signal.beforeDeadline(inputProblems(route, given)) : [];
  const error = { ...configured.error, detail: [...configured.error.detail, ...detail] };
  return { ...configured, error, inputs: given };
}

async function checkedLater(
  given: unknown,
  signal: CallSignal,
  call: Omit<PreparedCall, "inputs">,
  checking: Promise<StandardSchemaV1.Result<unknown>>,
): Promise<Preparation> {
  return withInputs(given, call, await signal.beforeDeadline(checking));
}

function withInputs(
  given: unknown,
  call: Omit<PreparedCall, "inputs">,
  checked: StandardSchemaV1.Result<unknown>,
): Preparation {
  if (checked.issues !== undefined) {
    const { config, identity } = call;
    return { ...invalid(inputDetails(checked.issues)), inputs: given, config, identity };
  }
  return { kind: "ready", call: { ...call, inputs: checked.value } };
}

type Configured =
  | { readonly kind: "configured"; readonly call: Omit<PreparedCall, "inputs"> }
  | Refused;

/** The playground's configuration; or, of an evaluation of the code's own defaults, an empty one. */
async function fromGiven(
  workflow: Workflow,
  route: RouteDefinition,
  given: unknown,
  signal: CallSignal,
  variant: PlaygroundVariant | null,
  params: PreparedCall["params"] = null,
): Promise<Configured> {
  signal.step = "checking the configuration";
  const outcome = await route.config.parse(given, { unknownFields: "refuse" });
  if (outcome.kind === "invalid") {
    return { ...invalid(details(outcome.issues, ["body", "config"])), config: given };
  }
  // What was edited is not that revision: only its origin is told.
  const asCommitted = variant?.isEdited === false ? variant : null;
  const identity: Identity = {
    application: workflow.application,
    variantId: null,
    variantName: asCommitted?.name ?? null,
    revision: asCommitted?.revision ?? null,
    environment: null,
  };
  const editedFrom = variant?.isEdited ? `${variant.name}@${variant.revision}` : null;
  return {
    kind: "configured",
    call: { config: outcome.config, identity, editedFrom, params, staleConfig: false },
  };
}

// Answers at once where the source knows and the schema is not async: it is on every call's path.
function fromSource(
  workflow: Workflow,
  route: RouteDefinition,
  wanted: Wanted,
  signal: CallSignal,
): Configured | Promise<Configured> {
  signal.step = "resolving the configuration";
  const reference = referenceOf(workflow, wanted, route.path);
  const resolving = workflow.configSource.resolve(reference);
  const use = (resolution: ConfigResolution) => {
    signal.step = "checking the configuration";
    return fromResolution(workflow, route, reference, resolution);
  };
  return resolving instanceof Promise ? resolving.then(use) : use(resolving);
}

function fromResolution(
  workflow: Workflow,
  route: RouteDefinition,
  reference: ConfigReference,
  resolution: ConfigResolution,
): Configured | Promise<Configured> {
  if (resolution.kind === "not-found") {
    return refused(callError("config_not_found", ["body", reference.by], resolution.reason));
  }
  if (resolution.kind === "unavailable") {
    return refused(callError("config_unavailable", [], resolution.reason, { "retry-after": "5" }));
  }
  const { resolved, stale } = resolution;
  const values: Dictionary = ownValue(resolved.params, route.path) ?? {};
  const parsing = route.config.parse(values, { unknownFields: "ignore" });
  const use = (outcome: ConfigOutcome<object>) =>
    fromStored(workflow, route, { resolved, stale, values }, outcome);
  return parsing instanceof Promise ? parsing.then(use) : use(parsing);
}

interface Stored {
  readonly resolved: ResolvedConfig;
  readonly stale: boolean;
  /** Of the route. */
  readonly values: Dictionary;
}

function fromStored(
  workflow: Workflow,
  route: RouteDefinition,
  { resolved, stale, values }: Stored,
  outcome: ConfigOutcome<object>,
): Configured {
  const identity: Identity = {
    application: workflow.application ?? resolved.application.slug,
    variantId: resolved.variant.id,
    variantName: resolved.variant.slug,
    revision: resolved.variant.revision,
    environment: resolved.environment,
  };
  if (outcome.kind === "invalid") {
    const where = `revision ${resolved.variant.revision} of variant ${resolved.variant.slug}`;
    const detail = details(outcome.issues, ["config", route.path]).map((each) => ({
      ...each,
      msg: `In ${where}: ${each.msg}`,
    }));
    return { ...invalid(detail), config: values, identity };
  }
  return {
    kind: "configured",
    call: {
      config: outcome.config,
      identity,
      editedFrom: null,
      params: resolved.params,
      staleConfig: stale,
    },
  };
}

function referenceOf(workflow: Workflow, wanted: Wanted, route: string): ConfigReference {
  const application = workflow.application ?? UNNAMED_APPLICATION;
  switch (wanted.by) {
    case "default":
      return { by: "environment", application, environment: workflow.environment, route };
    case "environment":
      return { by: "environment", application, environment: wanted.environment, route };
    case "variant": {
      const { variant, revision } = wanted;
      return { by: "variant", application, variant, revision, route };
    }
  }
}

function details(issues: readonly Issue[], before: readonly string[]): ErrorDetail[] {
  return issues.map(({ path, message, type }) => ({
    loc: [...before, ...path],
    msg: message,
    type,
  }));
}

function ownValue<T>(object: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function invalid(detail: readonly ErrorDetail[]) {
  return refused({ status: 422, detail });
}

function refused(error: CallError) {
  return { kind: "refused", error } as const;
}
