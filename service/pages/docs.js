"use strict";

// shown returns the OpenAPI document as this page shows it: the first endpoint near the top, and requests that can be sent as
// they are.
function shown(api) {
  const [first, ...rest] = api.info.description.split("\n\n");
  api.info.description = `${first}\n\nType your key here once: samples and test requests carry it. The page forgets it when it is closed.`;
  delete api.info.contact; // two lines above the first endpoint, of which nobody asks there
  delete api.info.license;
  api.tags.find((tag) => tag.name === "document").description = rest.join("\n\n");
  api.tags.push({ name: "old", "x-displayName": "Old paths", description: "They work as before, and say in a header which path is theirs now." });
  for (const tag of api.tags) tag["x-displayName"] ??= tag.name.charAt(0).toUpperCase() + tag.name.slice(1);
  for (const path of Object.values(api.paths)) {
    if (path.get.deprecated) path.get.tags = ["old"];
    path.get.parameters?.filter((p) => p.in === "query" && !p.required).forEach((p) => offer(api, p));
    const { "application/json": json, "application/geo+json": geo } = path.get.responses["200"].content;
    if (json && geo) geo.examples = { ...json.examples, ...geo.examples }; // Scalar takes its samples for those of JSON
  }
  return api;
}

// offer keeps the example of an optional parameter as a value to choose: all of them in one request find nothing.
function offer(api, parameter) {
  const { $ref } = parameter.schema;
  if ($ref) parameter.schema = api.components.schemas[$ref.split("/").at(-1)]; // its menu would have no name
  const value = parameter.example ?? parameter.schema.examples?.[0] ?? parameter.schema.default;
  delete parameter.example;
  parameter.examples = { default: { value, "x-disabled": true } };
}

// mend names what Scalar leaves without a name or with a role that does not fit, whenever it has drawn something.
function mend() {
  const each = (selector, change) => document.querySelectorAll(selector).forEach(change);
  each(".scalar-password-input:not([placeholder^=ak])", (key) => (key.placeholder = "ak_live_…"));
  each('button[class*="copy-button"]:not([aria-label])', (copy) => {
    copy.ariaLabel = "Copy";
    copy.removeAttribute("aria-controls"); // what it names need not exist
  });
  each("button[role=none]", (button) => button.removeAttribute("role"));
  each(".code-input-lite__editor[role=combobox]", (field) => (field.role = "textbox"));
  each("[role=combobox]:not([aria-expanded])", (list) => (list.ariaExpanded = "true"));
  each("input[role=combobox]:not([aria-label])", (list) => (list.ariaLabel = "Choose"));
  each(".cm-content:not([aria-label])", (body) => (body.ariaLabel = "Body"));
  each('.cm-scroller[tabindex="-1"]', (body) => (body.tabIndex = 0)); // to be scrolled by keys
}

async function show() {
  const response = await fetch("openapi.json");
  Scalar.createApiReference("#docs", {
    content: shown(await response.json()),
    operationTitleSource: "summary",
    theme: "none",
    modelsSectionLabel: "Schemas",
    orderSchemaPropertiesBy: "preserve",
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    hiddenClients: {
      shell: ["httpie", "wget"],
      python: ["aiohttp", "httpx_async", "httpx_sync", "requests"],
      js: ["axios", "jquery", "ofetch", "xhr"],
      ...Object.fromEntries(
        ["c", "clojure", "csharp", "dart", "fsharp", "http", "java", "julia", "kotlin", "node", "objc", "ocaml", "php", "powershell", "r"]
          .concat(["ruby", "rust", "swift"])
          .map((name) => [name, true]),
      ),
    },
    // Nothing of the page leaves it, but for requests to this service.
    persistAuth: false,
    telemetry: false,
    withDefaultFonts: false,
    showDeveloperTools: "never",
    hideClientButton: true,
    documentDownloadType: "none",
    agent: { disabled: true },
    mcp: { disabled: true },
  });
}

new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
show();
