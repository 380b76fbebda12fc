"use strict";
(() => {
  document.body.classList.add("live");
  // paper shows what is folded on the screen
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((e) => { e.open = true; });
  });
  addEventListener("afterprint", () => { closed.forEach((e) => { e.open = false; }); closed = []; });

  const holder = document.getElementById("data");
  if (!holder) return;
  const panel = (d) => {
    const z = d.z, byId = (id) => document.getElementById((d.at || "") + id);
    const slider = byId("threshold"), prevalence = byId("prevalence"), costFn = byId("cost-fn"), costFp = byId("cost-fp");

    // Wilson (1927)
    const wilson = (x, n) => {
      if (n === 0) return [NaN, NaN, NaN];
      const p = x / n, a = z * z / n, centre = (p + a / 2) / (1 + a), half = z / (1 + a) * Math.sqrt(p * (1 - p) / n + a / (4 * n));
      return [p, x === 0 ? 0 : centre - half, x === n ? 1 : centre + half];
    };
    // ratio of two proportions, normal on the log scale; one half is added to every cell where a cell makes it 0 or infinite
    const ratio = (x1, n1, x2, n2) => {
      if (n1 === 0 || n2 === 0) return [NaN, NaN, NaN];
      if (x1 === 0 && x2 === 0) return [NaN, NaN, NaN];
      if (x1 === 0 || x2 === 0 || (x1 === n1 && x2 === n2)) { x1 += .5; x2 += .5; n1 += 1; n2 += 1; }
      const value = (x1 / n1) / (x2 / n2), se = Math.sqrt(1 / x1 - 1 / n1 + 1 / x2 - 1 / n2);
      return [value, value * Math.exp(-z * se), value * Math.exp(z * se)];
    };
    // of cases in groups the limits are those of trueness.diagnose, computed beforehand; a group counts as one case where a
    // table shows no variance
    const unit = d.unit || 1;
    const grouped = (id, k, plain) => d.limits ? [plain[0], ...(d.limits[id][k] || [NaN, NaN])] : plain;
    // predictive value at another prevalence: logit PPV = logit prevalence + ln LR+ (Mercaldo, Lau & Zhou 2007), with the
    // length of the interval of `lr`; at 0 and 1 the limits come from those of the two fractions; a standard error of 0 is
    // that with one half added to every cell
    const predictive = (right, n1, wrong, n2, share, lr) => {
      const of = (a, b) => a * share / (a * share + b * (1 - share)), a = right / n1, b = wrong / n2, value = of(a, b);
      if (value === 0) return [0, 0, of(wilson(right / unit, n1 / unit)[2], b)];
      if (value === 1) return [1, of(a, wilson(wrong / unit, n2 / unit)[2]), 1];
      const spread = (x1, m1, x2, m2) => Math.sqrt(1 / x1 - 1 / m1 + 1 / x2 - 1 / m2);
      let se = spread(right, n1, wrong, n2), by = 1;
      if (!(se > 1e-9)) {
        const half = of((right + .5) / (n1 + 1), (wrong + .5) / (n2 + 1));
        se = spread(right + .5, n1 + 1, wrong + .5, n2 + 1);
        by = half * (1 - half) / (value * (1 - value));
      }
      const logit = Math.log(value / (1 - value)), length = by * (d.limits ? Math.log(lr[2] / lr[1]) / 2 : z * se);
      return [value, 1 / (1 + Math.exp(length - logit)), 1 / (1 + Math.exp(-length - logit))];
    };
    const near = (v) => { const m = Math.min(v, 1 - v); return m > 1e-9 && m < .01 ? 1 - Math.floor(Math.log10(m)) : 3; };
    const shown = (v) => Number.isNaN(v) ? "–" : !Number.isFinite(v) ? "∞" : v.toFixed(v >= 100 ? 0 : v >= 10 ? 1 : near(v));
    const line = (id, [v, low, high]) => {
      byId(id).textContent = Number.isNaN(low) ? shown(v) : `${shown(v)} (${shown(low)} to ${shown(high)})`;
    };

    const asked = () => {
      const share = Number(prevalence.value), given = share > 0 && share < 1;
      prevalence.setAttribute("aria-invalid", String(!given && (prevalence.value !== "" || prevalence.validity.badInput)));
      const cost = (input) => Math.max(0, Number(input.value) || 0);
      return { given, rho: given ? share : d.positives / (d.positives + d.negatives), cFn: cost(costFn), cFp: cost(costFp) };
    };
    const cheapest = () => {
      const { rho, cFn, cFp } = asked();
      let best = 0, least = Infinity;
      d.tp.forEach((tp, j) => {
        const c = cFn * rho * (d.positives - tp) / d.positives + cFp * (1 - rho) * d.fp[j] / d.negatives;
        if (c < least - 1e-15) { least = c; best = j; }
      });
      return best;
    };
    const update = () => {
      const k = Number(slider.value), tp = d.tp[k], fp = d.fp[k], fn = d.positives - tp, tn = d.negatives - fp;
      const { given, rho, cFn, cFp } = asked();
      slider.setAttribute("aria-valuetext", `threshold ${d.label[k]}`);
      byId("at").textContent = d.label[k];
      const names = [[d.start, d.named], [cheapest(), "cheapest at these costs"]].filter(([at]) => at === k).map(([, name]) => name);
      byId("which").textContent = names.length ? `(${names.join("; ")})` : "";
      [["tp", tp], ["fp", fp], ["fn", fn], ["tn", tn]].forEach(([id, v]) => { byId(id).textContent = v; });
      const lrp = grouped("lrp", k, ratio(tp, d.positives, fp, d.negatives)), lrn = grouped("lrn", k, ratio(fn, d.positives, tn, d.negatives));
      line("tpf", grouped("tpf", k, wilson(tp, d.positives))); line("fpf", grouped("fpf", k, wilson(fp, d.negatives)));
      line("tnf", grouped("tnf", k, wilson(tn, d.negatives)));
      line("ppv", given ? predictive(tp, d.positives, fp, d.negatives, rho, lrp) : grouped("ppv", k, wilson(tp, tp + fp)));
      line("npv", given ? predictive(tn, d.negatives, fn, d.positives, 1 - rho, lrn) : grouped("npv", k, wilson(tn, tn + fn)));
      line("lrp", lrp); line("lrn", lrn);
      byId("called").textContent = shown(rho * tp / d.positives + (1 - rho) * fp / d.negatives);
      byId("asked").textContent = `(a miss costs ${cFn}, a false alarm ${cFp}${given ? `; prevalence ${prevalence.value}` : ""})`;
      byId("cost").textContent = shown(cFn * rho * fn / d.positives + cFp * (1 - rho) * fp / d.negatives);
      const here = byId("here");
      here.setAttribute("cx", d.x[k]); here.setAttribute("cy", d.y[k]);
      // Thresholds whose mean cost cannot be told from this one's: only the cases between the two thresholds differ
      const wFn = cFn * rho / d.positives, wFp = cFp * (1 - rho) / d.negatives;
      let runs = "", before = false;  // neighbouring ones are joined, others are not
      for (let j = 0; j < d.tp.length && !d.limits; j++) {  // the variance is that of independent cases
        const dp = Math.abs(d.tp[j] - tp), dn = Math.abs(d.fp[j] - fp), gap = wFn * dp - wFp * dn;
        const variance = wFn * wFn * dp * (1 - dp / d.positives) + wFp * wFp * dn * (1 - dn / d.negatives);
        const same = gap * gap <= z * z * variance + 1e-18, spot = `${d.x[j]} ${d.y[j]}`;
        if (same) runs += before ? `L${spot}` : `M${spot}L${spot}`;
        before = same;
      }
      byId("same").setAttribute("d", runs);
    };
    [slider, prevalence, costFn, costFp].forEach((e) => e.addEventListener("input", update));
    byId("cheapest").addEventListener("click", () => {
      slider.value = cheapest(); update();
    });
    update();
  };
  const read = JSON.parse(holder.textContent);
  (Array.isArray(read) ? read : [read]).forEach(panel);
})();
