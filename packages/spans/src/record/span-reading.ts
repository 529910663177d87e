import type { SpanKind } from "@agate/protocol";
import { DIALECTS, rankOfDialect } from "../dialects/claims.ts";
import { ContentDraft } from "../dialects/content-draft.ts";
import type { DialectFigures, NumberField, TextField } from "../dialects/dialect.ts";
import type { Attributes, AttributeValue } from "../otlp-span.ts";
import { numberOf } from "../otlp-span.ts";
import type { KeyInfo, KeyTable } from "./key-table.ts";

// Worse than any rank.
const UNRANKED = 1_000_000;

export interface Parameter {
  /** The attribute's name. */
  readonly name: string;
  /** As a key of the configuration, with its colon. */
  readonly key: string;
  readonly rank: number;
  readonly value: AttributeValue;
}

/**
 * What one pass over a span's attributes finds for the record's fields. One reading serves all spans
 * in turn: ingest is too hot a path for a dozen small objects per span.
 */
export class SpanReading {
  text = noTexts();
  numbers = noNumbers();
  /** How good the source of each number is; Agate's own attributes rank first. */
  numberRanks = numberRanks();
  /** What was read out of JSON attributes that hold tokens or costs. */
  figures: DialectFigures | null = null;
  kind: SpanKind | null = null;
  /** Parameters of a model call, one by one or (better) as one object. */
  readonly parameters: Parameter[] = [];
  parameterObject: { readonly name: string; readonly value: AttributeValue } | null = null;
  readonly draft = new ContentDraft();
  /** What is known of each attribute's name, in the attributes' order. */
  readonly infos: KeyInfo[] = [];

  readonly #keys: KeyTable;
  #textRanks = textRanks();
  #kindRank = UNRANKED;
  #parameterObjectRank = UNRANKED;
  // Bit i: dialect i has content, or figures, to read.
  #contentDialects = 0;
  #figureDialects = 0;

  constructor(keys: KeyTable) {
    this.#keys = keys;
  }

  read(attributes: Attributes, isRoot: boolean): void {
    this.#reset();
    for (const [name, value] of attributes) {
      const info = this.#keys.get(name);
      this.infos.push(info);
      if (info.claim !== null) this.#note(info, value, isRoot);
    }
    if (this.#figureDialects !== 0) this.#readFigures(attributes);
    if (this.#contentDialects === 0) return;
    for (let index = 0; index < DIALECTS.length; index++) {
      if (this.#contentDialects & (1 << index)) DIALECTS[index]?.content?.(attributes, this.draft);
    }
  }

  #note(info: KeyInfo, value: AttributeValue, isRoot: boolean): void {
    const { claim } = info;
    if (claim === null) return;
    switch (claim.use) {
      case "text":
        if (typeof value === "string") this.#offerText(claim.field, value, claim.rank);
        return;
      case "number":
        this.#offer(claim.field, numberOf(value), claim.rank);
        return;
      case "kind": {
        if (typeof value !== "string" || claim.rank >= this.#kindRank) return;
        const kind = claim.kindOf(value.toLowerCase(), isRoot);
        if (kind === null) return;
        this.kind = kind;
        this.#kindRank = claim.rank;
        return;
      }
      case "parameter": {
        const { key, rank } = claim;
        this.parameters.push({ name: info.name, key, rank, value });
        return;
      }
      case "parameters":
        if (claim.rank >= this.#parameterObjectRank) return;
        this.parameterObject = { name: info.name, value };
        this.#parameterObjectRank = claim.rank;
        return;
      case "figures":
        this.#figureDialects |= 1 << claim.dialect;
        return;
      case "content":
        this.#contentDialects |= 1 << claim.dialect;
        return;
      case "indexed": {
        this.#contentDialects |= 1 << claim.dialect;
        const { path, group } = claim;
        const members = this.draft.indexed.get(group);
        if (members === undefined) this.draft.indexed.set(group, [{ path, value }]);
        else members.push({ path, value });
      }
    }
  }

  #readFigures(attributes: Attributes): void {
    for (const [index, dialect] of DIALECTS.entries()) {
      if (!(this.#figureDialects & (1 << index)) || dialect.figures === undefined) continue;
      this.figures = dialect.figures(attributes);
      const rank = rankOfDialect(index);
      for (const [field, value] of Object.entries(this.figures.numbers)) {
        this.#offer(field as NumberField, value, rank);
      }
      for (const [field, value] of Object.entries(this.figures.text ?? {})) {
        this.#offerText(field as TextField, value, rank);
      }
    }
  }

  #offerText(field: TextField, value: string, rank: number): void {
    if (value === "" || rank >= this.#textRanks[field]) return;
    this.text[field] = value;
    this.#textRanks[field] = rank;
  }

  #offer(field: NumberField, value: number | null, rank: number): void {
    if (value === null || rank >= this.numberRanks[field]) return;
    this.numbers[field] = value;
    this.numberRanks[field] = rank;
  }

  #reset(): void {
    this.text = noTexts();
    this.numbers = noNumbers();
    this.numberRanks = numberRanks();
    this.#textRanks = textRanks();
    this.figures = null;
    this.kind = null;
    this.parameterObject = null;
    this.parameters.length = 0;
    this.infos.length = 0;
    this.#kindRank = this.#parameterObjectRank = UNRANKED;
    this.#contentDialects = this.#figureDialects = 0;
    this.draft.reset();
  }
}

// Object literals, for they cost less to make than to clear field by field.
function noTexts(): Record<TextField, string | null> {
  return {
    responseId: null,
    responseModel: null,
    requestModel: null,
    provider: null,
    userId: null,
    sessionId: null,
    application: null,
    environment: null,
    variantId: null,
    variantName: null,
    statusMessage: null,
  };
}

function textRanks(): Record<TextField, number> {
  return {
    responseId: UNRANKED,
    responseModel: UNRANKED,
    requestModel: UNRANKED,
    provider: UNRANKED,
    userId: UNRANKED,
    sessionId: UNRANKED,
    application: UNRANKED,
    environment: UNRANKED,
    variantId: UNRANKED,
    variantName: UNRANKED,
    statusMessage: UNRANKED,
  };
}

function noNumbers(): Record<NumberField, number | null> {
  return {
    revision: null,
    inputTokens: null,
    outputTokens: null,
    totalTokens: null,
    cachedInputTokens: null,
    reasoningTokens: null,
    cacheWriteTokens: null,
    cost: null,
  };
}

function numberRanks(): Record<NumberField, number> {
  return {
    revision: UNRANKED,
    inputTokens: UNRANKED,
    outputTokens: UNRANKED,
    totalTokens: UNRANKED,
    cachedInputTokens: UNRANKED,
    reasoningTokens: UNRANKED,
    cacheWriteTokens: UNRANKED,
    cost: UNRANKED,
  };
}
