"use strict";
// Whether a document has the form of its JSON Schema: as much of the dialect as slotwise's schemas use.
{
  const lesson = (globalThis.lesson ??= { models: {} });

  const kinds = {
    object: (value) => value !== null && typeof value === "object" && !Array.isArray(value),
    array: Array.isArray,
    string: (value) => typeof value === "string",
    number: (value) => typeof value === "number" && Number.isFinite(value),
    integer: (value) => Number.isInteger(value),
    boolean: (value) => typeof value === "boolean",
    null: (value) => value === null,
  };
  const limits = [
    ["minimum", (value, limit) => value >= limit, "at least"],
    ["exclusiveMinimum", (value, limit) => value > limit, "more than"],
    ["maximum", (value, limit) => value <= limit, "at most"],
    ["exclusiveMaximum", (value, limit) => value < limit, "less than"],
    ["minLength", (value, limit) => value.length >= limit, "a length of at least"],
    ["maxLength", (value, limit) => value.length <= limit, "a length of at most"],
    ["minItems", (value, limit) => value.length >= limit, "a number of items of at least"],
    ["maxItems", (value, limit) => value.length <= limit, "a number of items of at most"],
    ["minProperties", (value, limit) => Object.keys(value).length >= limit, "a number of fields of at least"],
    ["pattern", (value, limit) => new RegExp(limit).test(value), "text like"],
  ];

  // Words for what is wrong first, with its place, or null.
  lesson.misshapen = function misshapen(value, schema, root = schema, path = []) {
    const wrong = (text) => `${path.join(".") || "the file"}: ${text}`;
    if (schema.$ref) {
      const known = schema.$ref.split("/").slice(1).reduce((part, key) => part[key], root);
      return misshapen(value, known, root, path);
    }
    if (schema.anyOf) {
      const found = schema.anyOf.map((one) => misshapen(value, one, root, path));
      // What says most is of the one that is not null.
      return found.includes(null) ? null : found[0];
    }
    if ("const" in schema && value !== schema.const) return wrong(`need “${schema.const}”`);
    if (schema.enum && !schema.enum.includes(value)) return wrong(`need one of ${schema.enum.join(", ")}`);
    if (schema.type && !kinds[schema.type](value)) return wrong(`need ${/^[aeiou]/.test(schema.type) ? "an" : "a"} ${schema.type}`);
    for (const [name, holds, words] of limits)
      if (name in schema && !holds(value, schema[name])) return wrong(`need ${words} ${schema[name]}`);
    if (kinds.array(value)) {
      for (const [k, item] of value.entries()) {
        const found = misshapen(item, schema.prefixItems?.[k] ?? schema.items ?? {}, root, [...path, k]);
        if (found) return found;
      }
    } else if (kinds.object(value)) {
      const missing = (schema.required ?? []).find((name) => !Object.hasOwn(value, name));
      if (missing) return wrong(`the field “${missing}” is missing`);
      const known = schema.properties ?? {};
      for (const [key, item] of Object.entries(value)) {
        const part = Object.hasOwn(known, key) ? known[key] : schema.additionalProperties ?? {};
        if (part === false) return wrong(`there is no field “${key}”`);
        const found = misshapen(item, part === true ? {} : part, root, [...path, key]);
        if (found) return found;
      }
    }
    return null;
  };
}
