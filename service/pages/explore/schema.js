// Schemas of the OpenAPI document.

/** A schema with what its references name in their place. */
export function resolved(openapi, schema) {
  const named = schema.$ref ? openapi.components.schemas[schema.$ref.split("/").at(-1)] : schema;
  return named.items ? { ...named, items: resolved(openapi, named.items) } : named;
}
