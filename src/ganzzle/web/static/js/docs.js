// Renders /openapi.json: no third-party viewer, so that no request leaves the machine.
const SCHEMAS = "#/components/schemas/";

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

// Rows of [name, type, words]; a type is a list of words and links.
function table(rows) {
  return element("table", element("tbody", ...rows.map(([name, type, words]) => (
    element("tr", element("td", element("code", name)), element("td", ...type), element("td", words))))));
}

const between = (lists, separator) => lists.flatMap((list, k) => (k ? [separator, ...list] : list));

// What a schema is, a shape with a name as a link to its description.
function typeOf(schema) {
  if (schema.$ref) return [shapeLink(schema.$ref.slice(SCHEMAS.length))];
  if (schema.anyOf) return between(schema.anyOf.map(typeOf), " or ");
  if (schema.prefixItems) return ["[", ...between(schema.prefixItems.map(typeOf), ", "), "]"];
  if (schema.type === "array") return ["list of ", ...typeOf(schema.items)];
  return [schema.format === "binary" ? "file" : schema.type || "anything"];
}

function shapeLink(name) {
  return Object.assign(element("a", name), { href: `#${name}` });
}

function fieldTable(schema) {
  return table(Object.entries(schema.properties || {}).map(([name, one]) => {
    const standard = one.default === undefined ? "" : `default ${one.default}`;
    const range = one.minimum === undefined || one.maximum === undefined ? "" : `${one.minimum} to ${one.maximum}`;
    const example = one.example === undefined ? "" : `for example ${one.example}`;
    return [name, typeOf(one), [one.description, range, standard, example].filter(Boolean).join("; ")];
  }));
}

function answer([status, { content, description }]) {
  const schema = content?.["application/json"]?.schema;
  return [status, schema ? typeOf(schema) : Object.keys(content || {}).slice(0, 1), description];
}

function route(path, method, { summary, requestBody, responses }) {
  const kind = Object.assign(element("span", method.toUpperCase()), { className: "method" });
  const section = element("section", element("h2", kind, element("code", path)), element("p", `${summary}.`));
  const form = requestBody?.content["multipart/form-data"].schema;
  if (form) section.append(element("h3", "Fields (multipart/form-data)"), fieldTable(form));
  section.append(element("h3", "Answers"), table(Object.entries(responses).map(answer)));
  return section;
}

function shape(name, schema) {
  const section = element("section", element("h2", element("code", name)));
  if (schema.description) section.append(element("p", schema.description));
  section.append(fieldTable(schema));
  section.id = name;
  return section;
}

for (const place of document.querySelectorAll(".origin")) place.textContent = location.origin;
const { paths, components } = await (await fetch("/openapi.json")).json();
const ours = JSON.stringify(paths) + JSON.stringify(components.schemas);
const shapes = Object.entries(components.schemas).filter(([name]) => ours.includes(`"${SCHEMAS}${name}"`));
document.getElementById("routes").replaceChildren(
  ...Object.entries(paths).flatMap(([path, methods]) => (
    Object.entries(methods).map(([method, description]) => route(path, method, description)))),
  element("h2", "What the answers hold"),
  ...shapes.map(([name, schema]) => shape(name, schema)));
if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView(); // it was not there before
