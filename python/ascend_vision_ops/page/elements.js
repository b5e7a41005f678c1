// SPDX-License-Identifier: Apache-2.0
// What the scripts of all pages share.
"use strict";

// Makes an element: text, other elements, or nothing, as its content.
function make(tag, attributes, ...content) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") element.style.cssText = value;
    else if (value !== false && value != null) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...content.flat(Infinity).filter((one) => one != null && one !== false));
  return element;
}

const whole = (number) => Math.round(number).toLocaleString("en");

function scaled(value, units, step) {
  let unit = 0;
  while (value >= step && unit + 1 < units.length) {
    value /= step;
    unit += 1;
  }
  return `${unit === 0 ? whole(value) : value.toPrecision(3)} ${units[unit]}`;
}
const bytesText = (bytes) => scaled(bytes, ["bytes", "KiB", "MiB", "GiB"], 1024);

function facts(pairs) {
  return make("dl", { class: "facts" }, pairs.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}
