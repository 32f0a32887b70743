"use strict";
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("data").textContent);
  root.classList.add("js");
  for (const found of document.querySelectorAll(".scripted")) found.hidden = false;

  const make = (tag, kind, text) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  // colours
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => { theme.textContent = dark() ? "Light colours" : "Dark colours"; };
  theme.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  system.addEventListener("change", name);
  name();

  // the stage: what each node holds at one moment
  const chip = (pod) => make("span", `cell h${pod[1]}${pod[3] === "new" ? " new" : ""}`, pod[0]);
  const told = (stage, [index, phase, count], asks) => {
    const pod = stage.pods[index];
    const line = make("li");
    const age = pod[3] ? `${pod[3]} ` : "";
    const text = `${count > 1 ? `${count} ${age}pods` : `${age}pod`}: ${phase}`;
    line.append(chip(pod), make("span", "", asks && pod[4] ? `${text}, asks for ${pod[4]}` : text));
    return line;
  };
  const cells = (stage, held, pods, before) => {
    const row = make("div", "cells");
    held.forEach((index, at) => {
      const cell = make("span", "cell free");
      if (index >= 0) {
        const [letter, hue, , age] = stage.pods[index];
        const phases = pods.filter((pod) => pod[0] === index).map((pod) => pod[1]);
        const leaving = phases.length && phases.every((phase) => /^(terminating|evicted)/.test(phase));
        cell.className = `cell h${hue}${age === "new" ? " new" : ""}${leaving ? " leaving" : ""}`;
        cell.textContent = letter;
        if (age) cell.append(make("small", "", age));
      }
      if (before && before[at] !== index) cell.classList.add("fresh");
      row.append(cell);
    });
    return row;
  };
  const node = (stage, number, now, before) => {
    const box = make("div", now.joined ? "box" : "box absent");
    box.append(make("p", "node", stage.nodes[number].name));
    if (!now.joined) {
      box.append(make("p", "small", "not there yet"));
      return box;
    }
    stage.nodes[number].rows.forEach(([resource, total, drawn], place) => {
      if (drawn) {
        box.append(cells(stage, now.cells[place], now.pods, before && before.cells[place]));
      } else {
        const bar = make("progress");
        bar.max = total;
        bar.value = now.held[place];
        box.append(bar);
      }
      box.append(make("p", "small", `${now.used[place]} ${resource} held`));
    });
    const pods = make("ul", "pods");
    for (const pod of now.pods) pods.append(told(stage, pod, false));
    if (!now.pods.length) pods.append(make("li", "small", "no pod here"));
    box.append(pods);
    return box;
  };
  const draw = (stage, step, last) => {
    const at = stage.steps[step];
    const now = stage.moments[at];
    const before = last === null || stage.steps[last] === at ? null : stage.moments[stage.steps[last]];
    const boxes = now.nodes.map((one, number) => node(stage, number, one, before && before.nodes[number]));
    const tray = make("div", "tray");
    if (now.waiting.length && step === stage.steps.length - 1) tray.classList.add("stuck");
    tray.append(make("p", "node", "without a node"));
    const pods = make("ul", "pods");
    for (const pod of now.waiting) pods.append(told(stage, pod, true));
    if (!now.waiting.length) pods.append(make("li", "small", "nobody"));
    tray.append(pods);
    return [...boxes, tray];
  };

  // walking through the steps
  const players = [];
  for (const section of document.querySelectorAll(".player")) {
    const stage = data[section.id];
    if (!stage) continue;
    const find = (selector) => section.querySelector(selector);
    const lines = [...section.querySelectorAll(".steps li")];
    const [previous, next, slider] = [find(".previous"), find(".next"), find("input")];
    const count = find(".count b");
    const now = find(".now");
    let step = null;
    const go = (wanted, aloud) => {
      const to = Math.max(0, Math.min(lines.length - 1, wanted));
      if (to === step) return;
      const line = lines[to];
      if (step !== null) lines[step].removeAttribute("aria-current");
      line.setAttribute("aria-current", "step");
      const [actor, what] = [line.querySelector(".actor").textContent, line.querySelector(".what").textContent];
      now.replaceChildren(make("span", "actor", actor), make("span", "", what));
      now.classList.toggle("end", to === lines.length - 1);
      find(".stage").replaceChildren(...draw(stage, to, step));
      step = to;
      slider.value = to + 1;
      slider.setAttribute("aria-valuetext", `Step ${to + 1} of ${lines.length}`);
      count.textContent = to + 1;
      previous.setAttribute("aria-disabled", to === 0);
      next.setAttribute("aria-disabled", to === lines.length - 1);
      if (aloud) {
        find(".live").textContent =
          `Step ${to + 1} of ${lines.length}. ${actor}: ${what}. ${line.querySelector(".held").textContent}`;
      }
    };
    const move = (by) => go(step + by, true);
    previous.addEventListener("click", () => move(-1));
    next.addEventListener("click", () => move(1));
    slider.addEventListener("input", () => go(slider.value - 1, true));
    lines.forEach((line, number) => line.addEventListener("click", () => go(number, true)));
    go(0, false);
    players.push({ section, move, go, last: lines.length - 1 });
  }
  const inView = ({ section }) => {
    const { top, bottom } = section.getBoundingClientRect();
    return bottom > 0 && top < innerHeight && section.offsetParent !== null;
  };
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" || event.altKey || event.ctrlKey || event.metaKey) return;
    const player = players.find(({ section }) => section.contains(event.target)) || players.find(inView);
    if (!player) return;
    if (event.key === "ArrowRight") player.move(1);
    else if (event.key === "ArrowLeft") player.move(-1);
    else if (event.key === "Home" && player.section.contains(event.target)) player.go(0, true);
    else if (event.key === "End" && player.section.contains(event.target)) player.go(player.last, true);
    else return;
    event.preventDefault();
  });

  // the filter
  const filter = document.querySelector(".filter");
  if (filter) {
    const findings = [...document.querySelectorAll(".finding")];
    const texts = findings.map((found) => found.textContent.toLowerCase());
    const apply = () => {
      const wanted = [...filter.querySelectorAll("input:checked")].map((box) => box.value);
      const words = filter.querySelector("input[type=search]").value.toLowerCase().trim();
      let shown = 0;
      findings.forEach((found, at) => {
        found.hidden = !wanted.includes(found.dataset.severity) || !texts[at].includes(words);
        shown += !found.hidden;
      });
      filter.querySelector("[role=status]").textContent = `${shown} of ${findings.length} on this page`;
    };
    filter.addEventListener("input", apply);
    filter.addEventListener("submit", (event) => event.preventDefault());
    apply();
  }
})();
