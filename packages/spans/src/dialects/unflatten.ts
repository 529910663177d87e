import type { AttributeValue } from "../otlp-span.ts";
import { embedded, quoted, valueText } from "./json-text.ts";

export interface IndexedAttribute {
  /** What follows the group's name, split at the dots. Starts with an index. */
  readonly path: readonly string[];
  readonly value: AttributeValue;
}

type Branch = Map<string, Branch | AttributeValue>;

// OpenInference puts a word between an item and its members, to tell what it is an item of:
// `llm.input_messages.0.message.role` is the role of message 0, not of its `message`.
const WRAPPERS: ReadonlySet<string> = new Set([
  "message",
  "tool_call",
  "message_content",
  "document",
  "embedding",
  "tool",
  "prompt",
  "completion",
]);

// Leaves that OpenInference defines as JSON.
const JSON_LEAVES: ReadonlySet<string> = new Set(["json_schema", "metadata"]);

// A name with more dots is no flattened member, and writing that many levels would overflow the stack.
const DEEPEST = 64;

class Tree {
  readonly root: Branch = new Map();

  /** False when the attribute contradicts another: `a.0` a text and `a.0.b` a text; or is too deep. */
  add(path: readonly string[], value: AttributeValue): boolean {
    if (path.length > DEEPEST) return false;
    let branch = this.root;
    for (const step of path.slice(0, -1)) {
      const next = branch.get(step);
      if (next === undefined) {
        const grown = new BranchMap();
        branch.set(step, grown);
        branch = grown;
      } else if (next instanceof BranchMap) {
        branch = next;
      } else {
        return false;
      }
    }
    const leaf = path.at(-1) ?? "";
    if (branch.has(leaf)) return false;
    branch.set(leaf, value);
    return true;
  }
}

// Tells a branch from an attribute whose value is a Map.
class BranchMap extends Map<string, Branch | AttributeValue> {}

/**
 * The JSON list or object that indexed attributes were flattened from; null when they contradict
 * each other, and no nesting shows them all.
 */
export function unflattened(attributes: readonly IndexedAttribute[]): string | null {
  const tree = new Tree();
  for (const { path, value } of attributes) if (!tree.add(path, value)) return null;
  return branchText(tree.root);
}

function branchText(branch: Branch): string {
  return asList(branch) ?? asObject(branch);
}

// A gap in the indices is a null, so that each item keeps its own; a list that would be mostly gaps
// (an index a client chose to be a billion) is an object.
function asList(branch: Branch): string | null {
  const longest = 2 * branch.size + 8;
  const items: string[] = [];
  let length = 0;
  for (const [key, node] of branch) {
    const index = Number(key);
    if (!Number.isInteger(index) || index < 0 || index >= longest || `${index}` !== key)
      return null;
    items[index] = itemText(node);
    length = Math.max(length, index + 1);
  }
  let text = "[";
  for (let index = 0; index < length; index++) {
    text += `${index === 0 ? "" : ","}${items[index] ?? "null"}`;
  }
  return `${text}]`;
}

function itemText(node: Branch | AttributeValue): string {
  if (!(node instanceof BranchMap)) return leafText(node as AttributeValue, false);
  const [only] = node.size === 1 ? node.keys() : [];
  const inner = only !== undefined && WRAPPERS.has(only) ? node.get(only) : undefined;
  return branchText(inner instanceof BranchMap ? inner : node);
}

function asObject(branch: Branch): string {
  let text = "";
  for (const [key, node] of branch) {
    const value =
      node instanceof BranchMap
        ? branchText(node)
        : leafText(node as AttributeValue, JSON_LEAVES.has(key));
    text += `${text === "" ? "{" : ","}${quoted(key)}:${value}`;
  }
  return `${text}}`;
}

// Agenta marks the texts that hold JSON.
const JSON_MARK = "@ag.type=json:";

function leafText(value: AttributeValue, isJson: boolean): string {
  if (typeof value !== "string") return valueText(value);
  if (value.startsWith(JSON_MARK)) return embedded(value.slice(JSON_MARK.length), "json");
  return embedded(value, isJson ? "json" : "text");
}
