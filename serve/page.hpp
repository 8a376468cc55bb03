// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace sinter_serve {

/// A page to draw in, for models of pictures with one channel. It loads nothing from elsewhere.
inline constexpr std::string_view page = R"page(<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Draw a digit</title>
<style>
  :root { color-scheme: light dark; --line: #8888; --bar: #3b82f6; --best: #16a34a; }
  h1 { font-size: 1.6rem; margin: .5rem 0 1rem; }
  section p { margin: .4rem 0; }
  body { font: 16px/1.4 system-ui, sans-serif; max-width: 46rem; margin: 0 auto; padding: 1rem; }
  main { display: flex; flex-wrap: wrap; gap: 1.5rem; align-items: flex-start; }
  main > div { width: min(20rem, 100%); }
  canvas { display: block; box-sizing: border-box; width: 100%; aspect-ratio: 1; border: 1px solid var(--line);
           border-radius: .5rem; background: #000; touch-action: none; cursor: crosshair; }
  #board { position: relative; }
  #pen { position: absolute; width: 1rem; height: 1rem; margin: -.5rem; border-radius: 50%; pointer-events: none;
         box-sizing: border-box; border: 2px solid var(--bar); visibility: hidden; }
  canvas:focus-visible + #pen { visibility: visible; }
  section { flex: 1 1 14rem; min-width: 0; }
  #bars { display: grid; grid-template-columns: max-content 1fr 4.5em; gap: .25rem .6rem; align-items: center; }
  #bars > div { background: var(--line); border-radius: .25rem; height: 1rem; overflow: hidden; }
  #bars i { display: block; height: 100%; width: 0; background: var(--bar); }
  #bars .best i { background: var(--best); }
  #bars output { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
  #problem { color: #dc2626; min-height: 1.4em; }
  button, select { font: inherit; padding: .3rem .8rem; }
  .controls { display: flex; gap: .6rem; flex-wrap: wrap; margin: .6rem 0; }
  @media (pointer: coarse) { small { display: none; } }
</style>
<h1>Draw a digit</h1>
<main>
  <div>
    <div id="board">
      <canvas id="paper" width="280" height="280" tabindex="0" role="application"
              aria-label="Paper: draw by mouse, touch, or arrow keys while Shift is held; Delete clears it"></canvas>
      <i id="pen"></i>
    </div>
    <div class="controls"><button id="clear">Clear</button><select id="model" aria-label="Model"></select></div>
    <small>Keys: arrows move the pen, with Shift they draw; Delete clears.</small>
  </div>
  <section>
    <p id="guess" role="status" aria-live="polite">Nothing is drawn yet.</p>
    <div id="bars"></div>
    <p id="problem" role="alert"></p>
  </section>
</main>
<script>
"use strict";
const at = id => document.getElementById(id);
const paper = at("paper"), ink = paper.getContext("2d", {willReadFrequently: true});
const size = paper.width, pen = {x: size / 2, y: size / 2};
let model = null, drawn = false, busy = false, again = false;

function move(to) {
  Object.assign(pen, to);
  at("pen").style.left = 100 * pen.x / size + "%";
  at("pen").style.top = 100 * pen.y / size + "%";
}
function clear() {
  ink.fillStyle = "#000";
  ink.fillRect(0, 0, size, size);
  drawn = false;
  at("guess").textContent = "Nothing is drawn yet.";
  for (const bar of document.querySelectorAll("#bars i")) bar.style.width = 0;
  for (const number of document.querySelectorAll("#bars output")) number.textContent = "";
}
function line(to) {
  ink.strokeStyle = "#fff";
  ink.lineWidth = size / 13;
  ink.lineCap = ink.lineJoin = "round";
  ink.beginPath();
  ink.moveTo(pen.x, pen.y);
  ink.lineTo(to.x, to.y);
  ink.stroke();
  move(to);
  drawn = true;
  ask();
}
function place(event) {
  const box = paper.getBoundingClientRect();
  return {x: (event.clientX - box.left) * size / box.width, y: (event.clientY - box.top) * size / box.height};
}

/// As the digits of MNIST: scaled to 20 of 28 pixels, with the centre of mass in the middle.
function pixels(height, width) {
  const all = ink.getImageData(0, 0, size, size).data;
  let left = size, right = 0, top = size, bottom = 0;
  for (let y = 0; y < size; ++y)
    for (let x = 0; x < size; ++x)
      if (all[4 * (y * size + x)] > 30) {
        left = Math.min(left, x), right = Math.max(right, x + 1);
        top = Math.min(top, y), bottom = Math.max(bottom, y + 1);
      }
  const small = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const draw = (dx, dy) => {
    const scale = Math.min(width, height) * 20 / 28 / Math.max(right - left, bottom - top);
    small.canvas.width = width, small.canvas.height = height;
    small.fillRect(0, 0, width, height);
    small.imageSmoothingQuality = "high";
    small.drawImage(paper, left, top, right - left, bottom - top,
                    (width - scale * (right - left)) / 2 + dx, (height - scale * (bottom - top)) / 2 + dy,
                    scale * (right - left), scale * (bottom - top));
    const rgba = small.getImageData(0, 0, width, height).data;
    return Array.from({length: width * height}, (_, i) => rgba[4 * i]);
  };
  const first = draw(0, 0);
  let mass = 0, x = 0, y = 0;
  first.forEach((value, i) => { mass += value, x += value * (i % width + .5), y += value * (Math.floor(i / width) + .5); });
  return draw(width / 2 - x / mass, height / 2 - y / mass);
}
function probabilities(y) {
  const sum = values => values.reduce((a, b) => a + b, 0), near = x => Math.abs(x - 1) < 1e-3;
  if (y.every(v => v >= 0) && near(sum(y))) return y;
  const most = Math.max(...y), powers = y.map(v => Math.exp(v - most)), all = sum(powers);
  return powers.map(v => v / all);
}
function report(error) {
  at("problem").textContent = error.message;
}
async function json(path, options) {
  const answer = await fetch(path, options), body = await answer.json();
  if (!answer.ok) throw new Error(body.error);
  return body;
}
async function ask() {
  if (!model || !drawn) return;
  if (busy) { again = true; return; }
  busy = true;
  try {
    const [, , height, width] = model.inputs[0].shape;
    const request = {inputs: [{name: model.inputs[0].name, shape: [1, 1, height, width], datatype: "UINT8",
                               data: pixels(height, width)}]};
    const answer = await json(`/v2/models/${model.name}/infer`, {method: "POST", body: JSON.stringify(request)});
    if (drawn) show(probabilities(answer.outputs[0].data));
    at("problem").textContent = "";
  } catch (error) {
    report(error);
  }
  busy = false;
  if (again) { again = false; ask(); }
}
function show(p) {
  const best = p.indexOf(Math.max(...p)), rows = at("bars").children;
  p.forEach((value, i) => {
    rows[3 * i + 1].firstChild.style.width = 100 * value + "%";
    rows[3 * i + 1].className = i === best ? "best" : "";
    rows[3 * i + 2].textContent = (100 * value).toFixed(1) + " %";
  });
  at("guess").textContent = `This is ${rows[3 * best].textContent}.`;
}
async function choose(name) {
  model = await json(`/v2/models/${name}`);
  const shape = model.inputs[0].shape;
  at("problem").textContent = shape.length === 4 && shape[1] === 1 ? "" : `${name} takes no pictures of one channel`;
  if (at("problem").textContent) { model = null; return; }
  const output = model.outputs[0], classes = output.parameters?.classes;
  at("bars").replaceChildren(...Array.from({length: output.shape[1]}, (_, i) => {
    const label = document.createElement("span"), bar = document.createElement("div"), number = document.createElement("output");
    label.textContent = classes ? classes[i] : i;
    bar.append(document.createElement("i"));
    return [label, bar, number];
  }).flat());
  ask();
}

paper.addEventListener("pointerdown", event => {
  paper.setPointerCapture(event.pointerId);
  move(place(event));
  line(pen);
});
paper.addEventListener("pointermove", event => {
  if (event.buttons) for (const each of event.getCoalescedEvents?.() ?? [event]) line(place(each));
});
paper.addEventListener("keydown", event => {
  const step = size / 28, by = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[event.key];
  if (event.key === "Delete" || event.key === "Backspace") clear();
  if (!by) return;
  event.preventDefault();
  const inside = v => Math.min(size, Math.max(0, v));
  const to = {x: inside(pen.x + step * by[0]), y: inside(pen.y + step * by[1])};
  if (event.shiftKey) line(to); else move(to);
});
at("clear").addEventListener("click", clear);
at("model").addEventListener("change", () => choose(at("model").value).catch(report));
move(pen);
clear();
json("/v2/repository/index", {method: "POST"}).then(all => {
  const names = [...new Set(all.filter(each => each.state === "READY").map(each => each.name))];
  at("model").replaceChildren(...names.map(name => new Option(name)));
  at("model").hidden = names.length < 2;
  if (!names.length) throw new Error("No model is running.");
  return choose(names[0]);
}).catch(report);
</script>
</html>
)page";

}  // namespace sinter_serve
