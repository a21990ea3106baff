// A feature chosen in one view is shown in all others. Parts of the page say which features they are about by data-f.
(() => {
  const byId = (id) => document.getElementById(id);
  const panel = byId("panel"), account = byId("account"), places = byId("places"), find = byId("find"), matches = byId("matches");
  const PREFIX = "feature=";

  // The accounts leave the page: the panel shows one at a time.
  const accounts = new Map(), byName = new Map();
  for (const article of document.querySelectorAll("#accounts article")) {
    accounts.set(article.dataset.f, article);
    byName.set(article.id.slice(PREFIX.length), article.dataset.f);
    article.removeAttribute("id");
  }
  byId("accounts").remove();
  const nameOf = (feature) => accounts.get(feature).querySelector("bdi").textContent;
  const legend = new Map([...document.querySelectorAll("[data-legend]")].map((one) => [one.dataset.legend, one]));

  const toButton = (row) => {
    const cell = row.querySelector("th"), button = document.createElement("button");
    button.type = "button";
    button.className = "name";
    button.append(...cell.childNodes);
    cell.append(button);
    return button;
  };
  const parts = new Map();
  const views = [...document.querySelectorAll("[data-view]")];
  for (const view of views) {
    for (const element of view.querySelectorAll("[data-f]")) {
      const button = element.tagName === "TR" ? toButton(element) : element.tagName === "BUTTON" ? element : null;
      const part = { element, button, view };
      button?.setAttribute("aria-pressed", "false");
      if (button) button.tabIndex = -1;
      for (const feature of element.dataset.f.split(" ")) {
        if (!parts.has(feature)) parts.set(feature, []);
        parts.get(feature).push(part);
      }
    }
    const first = view.querySelector("[aria-pressed]");
    if (first) first.tabIndex = 0;
  }

  let chosen = null;
  const mark = (feature, isChosen) => {
    for (const { element, button, view } of parts.get(feature) ?? []) {
      element.classList.toggle("chosen", isChosen);
      button?.setAttribute("aria-pressed", String(isChosen));
      if (isChosen && button) stopAt(view, button);
    }
  };
  // One stop of the tabulator for each view; arrows lead on from there.
  const stopAt = (view, button) => {
    view.querySelector('[aria-pressed][tabindex="0"]')?.setAttribute("tabindex", "-1");
    button.tabIndex = 0;
  };

  const remember = (address) => {
    try { history.replaceState(null, "", address); } catch { /* A page inside another may have no address. */ }
  };
  const letGo = () => {
    if (chosen === null) return;
    mark(chosen, false);
    chosen = null;
    const wasInside = panel.contains(document.activeElement);
    panel.hidden = true;
    document.querySelectorAll(".at-step").forEach((diamond) => diamond.remove());
    document.documentElement.style.removeProperty("--panel");
    remember(location.pathname + location.search);
    if (wasInside) find.focus({ preventScroll: true });
  };
  const choose = (feature) => {
    if (chosen !== null) mark(chosen, false);
    chosen = feature;
    mark(feature, true);
    byId("panel-title").replaceChildren(accounts.get(feature).querySelector("bdi").cloneNode(true));
    byId("verdict").replaceChildren(legend.get(accounts.get(feature).dataset.verdict).cloneNode(true));
    account.replaceChildren(accounts.get(feature));
    account.scrollTop = 0;
    listPlaces(feature);
    drawAtSteps(accounts.get(feature).dataset.at);
    panel.hidden = false;
    document.documentElement.style.setProperty("--panel", `${panel.offsetHeight}px`);
    matches.textContent = "";
    remember(`#${PREFIX}${encodeURIComponent(nameOf(feature))}`);
  };

  // In each view the first part about a feature; in the path, its place as a candidate where there is none.
  const drawing = document.querySelector("[data-scale]"), path = drawing?.closest("[data-view]");
  const listPlaces = (feature) => {
    const seen = new Map();
    if (path && accounts.get(feature).dataset.at) seen.set(path, { element: drawing });
    for (const part of parts.get(feature) ?? []) if (!seen.get(part.view)?.view) seen.set(part.view, part);
    places.replaceChildren(...views.filter((view) => seen.has(view)).map((view) => {
      const { element, button } = seen.get(view), leads = document.createElement("button");
      leads.type = "button";
      leads.textContent = view.dataset.view + (element.tagName === "SPAN" ? ", among the others" : "");
      leads.addEventListener("click", () => {
        // A row is wider than a telephone, and its name is where it begins.
        const inline = element.offsetWidth > element.offsetHeight ? "start" : "nearest";
        element.scrollIntoView({ block: "center", inline });
        button?.focus({ preventScroll: true });
      });
      return leads;
    }));
  };

  // In the figure of the path, the feature as a candidate at each step.
  const drawAtSteps = (scores) => {
    document.querySelectorAll(".at-step").forEach((diamond) => diamond.remove());
    if (!drawing || !scores) return;
    const [low, bottom, high, top] = drawing.dataset.scale.split(" ").map(Number);
    const columns = drawing.querySelectorAll(".spot");
    for (const pair of scores.split(" ")) {
      const [step, score] = pair.split(":").map(Number), column = columns[step - 1];
      const share = Math.min(1, Math.max(0, (score - low) / (high - low)));
      const diamond = document.createElement("i");
      diamond.className = score < low || score > high ? "at-step beyond" : "at-step";
      diamond.style.left = `${parseFloat(column.style.left) + parseFloat(column.style.width) / 2}%`;
      diamond.style.top = `${bottom + share * (top - bottom)}%`;
      drawing.append(diamond);
    }
  };

  // Of several features that share a part, each click chooses the next.
  const next = (features) => {
    const place = features.indexOf(chosen);
    return place + 1 < features.length ? features[place + 1] : null;
  };
  document.addEventListener("click", (event) => {
    const part = event.target.closest("[data-view] [data-f]");
    if (!part || part.tagName === "SPAN" || !getSelection().isCollapsed) return;
    const feature = next(part.dataset.f.split(" "));
    if (feature === null) letGo(); else choose(feature);
  });
  const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !(event.target === find && find.value)) letGo();
    const step = STEPS[event.key], view = event.target.closest?.("[data-view]");
    if (!step || !view || !event.target.hasAttribute("aria-pressed")) return;
    const buttons = [...view.querySelectorAll("[aria-pressed]")].filter((button) => !button.closest("[hidden]"));
    const to = Math.min(buttons.length - 1, Math.max(0, buttons.indexOf(event.target) + step));
    stopAt(view, buttons[to]);
    buttons[to].focus();
    event.preventDefault();
  });
  byId("let-go").addEventListener("click", letGo);

  const looked = (text) => {
    const names = [...byName.keys()], wanted = text.toLowerCase();
    return names.find((name) => name === text) ?? names.find((name) => name.toLowerCase() === wanted)
      ?? names.filter((name) => name.toLowerCase().includes(wanted)).sort((a, b) => a.length - b.length)[0];
  };
  find.addEventListener("focus", () => {
    const names = byId("names");
    if (!names.children.length) names.append(...[...byName.keys()].map((name) => new Option("", name)));
  });
  find.addEventListener("input", () => { if (byName.has(find.value)) choose(byName.get(find.value)); });
  find.addEventListener("change", () => {
    const name = find.value ? looked(find.value) : undefined;
    if (name !== undefined) choose(byName.get(name));
    else matches.textContent = find.value ? "No feature has that in its name." : "";
  });

  const fromAddress = () => {
    let named = "";
    try { named = decodeURIComponent(location.hash.slice(1)).replace(/\r\n?/g, "\n"); } catch { /* no name of ours */ }
    const feature = named.startsWith(PREFIX) ? byName.get(named.slice(PREFIX.length)) : undefined;
    if (feature !== undefined) choose(feature);
  };
  addEventListener("hashchange", fromAddress);
  fromAddress();
})();
