// Renders /openapi.json: no third-party viewer, so that no request leaves the machine.
function element(name, text = "", children = []) {
  const made = Object.assign(document.createElement(name), text ? { textContent: text } : {});
  made.append(...children);
  return made;
}

function table(rows) {
  return element("table", "", [element("tbody", "", rows.map((cells) => element("tr", "", cells.map((cell, k) => (
    element("td", k ? cell : "", k ? [] : [element("code", cell)]))))))]);
}

function typeOf(schema, whole) {
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map((one) => typeOf(one, whole)).join(" or ");
  if (schema.prefixItems) return `[${schema.prefixItems.map((one) => typeOf(one, whole)).join(", ")}]`;
  if (schema.type === "array") return `list of ${typeOf(schema.items, whole)}`;
  if (schema.format === "binary") return "file";
  return schema.type || "anything";
}

function fieldRows(schema, whole) {
  const target = schema.$ref ? whole.components.schemas[typeOf(schema)] : schema;
  return Object.entries(target.properties || {}).map(([name, one]) => {
    const standard = one.default === undefined ? "" : `default ${one.default}`;
    const example = one.example === undefined ? "" : `for example ${one.example}`;
    return [name, typeOf(one, whole), [one.description, standard, example].filter(Boolean).join("; ")];
  });
}

function answer(status, response, whole) {
  const schema = response.content?.["application/json"]?.schema;
  const kind = schema ? typeOf(schema, whole) : Object.keys(response.content || {})[0] || "";
  return [status, kind, response.description];
}

function route(path, method, description, whole) {
  const heading = element("h2", "", [element("span", method.toUpperCase()), element("code", path)]);
  heading.firstChild.className = "method";
  const section = element("section", "", [heading, element("p", `${description.summary}.`)]);
  const form = description.requestBody?.content["multipart/form-data"].schema;
  if (form) section.append(element("h3", "Fields (multipart/form-data)"), table(fieldRows(form, whole)));
  const ok = description.responses["200"].content?.["application/json"]?.schema;
  const shape = ok && (ok.items || ok);
  if (shape) section.append(element("h3", ok.items ? "Answer: a list of" : "Answer"), table(fieldRows(shape, whole)));
  section.append(element("h3", "Statuses"));
  section.append(table(Object.entries(description.responses).map(([status, one]) => answer(status, one, whole))));
  return section;
}

for (const place of document.querySelectorAll(".origin")) place.textContent = location.origin;
const whole = await (await fetch("/openapi.json")).json();
document.getElementById("routes").replaceChildren(...Object.entries(whole.paths).flatMap(([path, methods]) => (
  Object.entries(methods).map(([method, description]) => route(path, method, description, whole)))));
