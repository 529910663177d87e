import { shownValue } from "@agate/protocol";
import { BaseModel } from "./base-model.ts";
import type { ConfigDeclaration, InferConfig } from "./config-declaration.ts";
import type { ConfigSchema } from "./config-schema.ts";
import { DeclarationError } from "./declaration-error.ts";
import type { ModelClass } from "./model-schema.ts";
import { modelSchema } from "./model-schema.ts";
import { isZodNode } from "./zod-node.ts";
import { zodSchema } from "./zod-schema.ts";

/**
 * The one description that both ways of declaring a configuration come to. The same declaration gives
 * the same description each time.
 *
 * @throws DeclarationError that says which field is declared wrongly and what to write.
 */
export function compileConfig<Declaration extends ConfigDeclaration>(
  declaration: Declaration,
): ConfigSchema<InferConfig<Declaration>> {
  // Nothing can follow the type from a declaration to what its fields turn out to be at run time.
  return schemaOf(declaration) as ConfigSchema<InferConfig<Declaration>>;
}

function schemaOf(declaration: unknown): ConfigSchema<object> {
  if (isModelClass(declaration)) return modelSchema(declaration);
  if (isZodNode(declaration)) return zodSchema(declaration);
  throw new DeclarationError(refusal(declaration));
}

function isModelClass(declaration: unknown): declaration is ModelClass {
  return typeof declaration === "function" && declaration.prototype instanceof BaseModel;
}

function refusal(declaration: unknown): string {
  if (typeof declaration === "function") {
    const name = declaration.name || "Config";
    return `${name} is not a configuration. Write class ${name} extends ag.BaseModel { ... }.`;
  }
  // The classic schemas of zod 3 say what they are in `_def`.
  if (typeof declaration === "object" && declaration !== null && "_def" in declaration) {
    return 'This is a schema of zod 3, which does not say enough about its fields. Import z from "zod/v4", or upgrade to zod 4.';
  }
  return `${shownValue(declaration)} is not a configuration. Write class Config extends ag.BaseModel { ... }, or a zod object.`;
}
