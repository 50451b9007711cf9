// SPDX-License-Identifier: BSL-1.0
// The look of the page, in the light and in the dark. Its classes begin with `v-`, so that those of pictures and of the static
// report are left alone.
#pragma once

#include <string_view>

namespace ipuflow::report::impl {

inline constexpr std::string_view viewer_style = R"css(
  :root { --paper: #ffffff; --ground: #f6f6f3; --lane: #f1f1ee; --line: #dcdcd6; --ink: #1d1f23; --soft: #5c5f66; --accent: #1f5fa8;
    --strong: #111318; --pale: #e6eef8; color-scheme: light; }
  :root[data-theme="dark"] { --paper: #17191d; --ground: #111316; --lane: #202328; --line: #363a42; --ink: #e8e8e4; --soft: #a3a7b0;
    --accent: #7fb2ec; --strong: #ffffff; --pale: #23324a; color-scheme: dark; }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 13px/1.45 system-ui, sans-serif; font-variant-numeric: tabular-nums; }
  #v-app { display: grid; grid-template: auto minmax(0, 1fr) auto / 184px minmax(0, 1fr); height: 100vh; height: 100dvh; }
  header { grid-column: 1 / -1; display: flex; align-items: center; gap: 8px 10px; padding: 7px 14px;
    border-bottom: 1px solid var(--line); background: var(--paper); flex-wrap: wrap; }
  nav { grid-row: 2 / span 2; padding: 10px 8px; display: flex; flex-direction: column; gap: 1px; overflow: auto;
    border-right: 1px solid var(--line); background: var(--paper); }
  #v-app h1 { font-size: 14px; font-weight: 650; margin: 0; overflow-wrap: anywhere; }
  #v-app h2 { font-size: 17px; font-weight: 620; letter-spacing: -0.01em; margin: 0 0 10px; overflow-wrap: anywhere; }
  #v-app h3 { font-size: 12px; font-weight: 650; margin: 22px 0 8px; overflow-wrap: anywhere; }
  h2 .v-soft, h3 .v-soft { font-weight: 400; font-size: 13px; margin-left: 6px; }
  #v-main { padding: 14px 18px 18px; overflow: auto; display: flex; flex-direction: column; min-height: 0; outline: none;
    position: relative; }
  .v-panel { flex: 1; min-height: 0; max-width: 1500px; width: 100%; }
  .v-timeline { display: flex; flex-direction: column; max-width: none; gap: 6px; min-height: 260px; }
  .v-operations { display: flex; flex-direction: column; }
  .v-schedule, .v-compare { max-width: none; }
  button, select, input, summary { font: inherit; color: inherit; }
  button, select, input[type="search"], input[type="number"], summary { background: var(--paper); border: 1px solid var(--line);
    border-radius: 5px; padding: 3px 9px; min-height: 28px; }
  button, summary, select { cursor: pointer; }
  button:hover, summary:hover { border-color: var(--soft); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  nav button { display: flex; gap: 8px; align-items: baseline; text-align: left; border-color: transparent; background: none;
    padding: 5px 8px; white-space: nowrap; }
  nav button:hover { background: var(--lane); }
  nav button[aria-current] { background: var(--pale); font-weight: 600; }
  nav button[data-empty] { color: var(--soft); }
  kbd { font: 10.5px ui-monospace, monospace; color: var(--soft); border: 1px solid var(--line); border-radius: 3px;
    padding: 0 4px; margin-left: 5px; }
  nav kbd { margin: 0; border: 0; padding: 0; }
  button[aria-pressed="true"] { background: var(--pale); }
  .v-grow { flex: 1; }
  .v-soft { color: var(--soft); }
  .v-u { unicode-bidi: isolate; overflow-wrap: anywhere; }
  .v-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; margin: 0; }
  .v-skip { position: absolute; left: -999px; }
  .v-skip:focus { left: 8px; top: 8px; background: var(--paper); padding: 6px; z-index: 9; color: var(--accent); }
  .v-bar { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; }
  .v-bar h3 { margin: 12px 0 6px; }
  .v-where { font-weight: 600; }
  .v-choice, .v-tick, .v-ask { display: inline-flex; align-items: center; gap: 6px; min-width: 0; max-width: 100%; }
  .v-choice > span, .v-ask > span { color: var(--soft); white-space: nowrap; }
  .v-choice select { min-width: 0; max-width: 260px; text-overflow: ellipsis; }
  .v-choice input { width: 110px; accent-color: var(--accent); }
  .v-ask { flex-wrap: wrap; }
  .v-ask input { width: 76px; }
  .v-swatch { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin-right: 6px; vertical-align: -1px; }
  .v-legend { display: flex; flex-wrap: wrap; gap: 3px 16px; list-style: none; margin: 6px 0 0; padding: 0; color: var(--soft);
    font-size: 12px; }
  .v-lanes { position: relative; overflow: hidden auto; border: 1px solid var(--line); border-radius: 5px; background: var(--paper); }
  .v-timeline .v-lanes { flex: 1 1 0; min-height: 160px; }
  .v-lanes canvas { position: sticky; top: 0; display: block; touch-action: pan-y; cursor: default; }
  .v-strip { width: 100%; height: 44px; border: 1px solid var(--line); border-radius: 5px; display: block; touch-action: none;
    cursor: ew-resize; flex: none; }
  .v-chart { width: 100%; display: block; touch-action: pan-y; }
  .v-charts figure { margin: 0 0 12px; }
  .v-charts figcaption { font-size: 12px; color: var(--soft); }
  .v-charts b { color: var(--ink); font-weight: 600; margin-right: 8px; }
  .v-scale { display: inline-flex; align-items: center; gap: 6px; color: var(--soft); font-size: 12px; }
  .v-memory .v-chart { margin-top: 10px; }
  .v-columns { display: flex; flex-wrap: wrap; gap: 4px 36px; align-items: flex-start; }
  .v-columns > * { min-width: 0; max-width: 100%; }
  .v-scroll { overflow: auto; max-width: 100%; margin: 4px 0 8px; position: relative; }
  .v-tablebox { display: flex; flex-direction: column; min-height: 0; gap: 6px; flex: 1; }
  .v-big { max-height: min(60vh, 640px); border: 1px solid var(--line); border-radius: 5px; background: var(--paper); }
  .v-operations .v-big { max-height: none; flex: 1 1 0; min-height: 240px; }
  .v-table { border-collapse: collapse; font-size: 12.5px; min-width: min(100%, 340px); }
  .v-big .v-table { width: 100%; }
  .v-table caption { text-align: left; color: var(--soft); font-size: 12px; padding: 2px 0 4px; }
  .v-table caption.v-hidden { position: absolute; }
  .v-table th, .v-table td { text-align: left; padding: 3px 18px 3px 8px; border-bottom: 1px solid var(--line); white-space: nowrap;
    height: 26px; vertical-align: middle; }
  .v-table td.v-u { white-space: nowrap; }
  .v-table td.v-long { white-space: normal; min-width: 260px; max-width: 560px; }
  .v-table th { color: var(--soft); font-weight: 500; background: var(--paper); }
  .v-table .v-n { text-align: right; padding: 3px 8px 3px 18px; }
  .v-table tr:last-child td { border-bottom: 0; }
  .v-table tbody tr:hover { background: var(--lane); }
  .v-table tr.v-chosen { background: var(--pale); }
  .v-table tr.v-space td { padding: 0; border: 0; }
  .v-big th { position: sticky; top: 0; z-index: 1; box-shadow: inset 0 -1px var(--line); border: 0; }
  .v-big th button { border: 0; background: none; padding: 2px 0; font-weight: 500; color: var(--soft); white-space: nowrap; }
  .v-big th[aria-sort="descending"] button::after { content: " \2193"; }
  .v-big th[aria-sort="ascending"] button::after { content: " \2191"; }
  .v-big th[aria-sort$="ing"] button { color: var(--ink); }
  .v-panel > .v-scroll > table, .v-columns .v-scroll > table { background: var(--paper); }
  button.v-link { border: 0; background: none; padding: 0; min-height: 0; text-align: left; color: var(--accent); margin-right: 12px;
    overflow-wrap: anywhere; unicode-bidi: isolate; }
  button.v-link:hover { text-decoration: underline; }
  .v-fold::before { content: "\25b8"; display: inline-block; width: 14px; color: var(--soft); }
  .v-fold[aria-expanded="true"]::before { content: "\25be"; }
  .v-tree button.v-fold { color: var(--ink); }
  .v-tree .v-leaf { padding-left: 14px; }
  .v-track { display: block; width: 140px; height: 8px; background: var(--lane); border-radius: 2px; }
  .v-share { display: block; height: 8px; border-radius: 2px; background: #2f6db3; min-width: 1px; }
  .v-facts { margin: 4px 0; }
  .v-facts > div { display: grid; grid-template-columns: minmax(110px, 190px) minmax(0, 1fr); gap: 12px; padding: 2px 0; }
  .v-facts dt { color: var(--soft); }
  .v-facts dd { margin: 0; overflow-wrap: anywhere; unicode-bidi: isolate; }
  .v-lead { font-size: 15px; line-height: 1.5; max-width: 78ch; margin: 4px 0 12px; overflow-wrap: anywhere; }
  .v-leads { margin: 0; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 10px; }
  .v-leads > div { background: var(--paper); border: 1px solid var(--line); border-radius: 7px; padding: 10px 14px 12px; }
  .v-leads dt { color: var(--soft); font-size: 12px; margin-bottom: 3px; }
  .v-leads dd { margin: 0; font-size: 14px; overflow-wrap: anywhere; }
  .v-stack { display: flex; height: 26px; border-radius: 4px; overflow: hidden; background: var(--lane); margin-bottom: 8px; }
  .v-stack span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 11.5px; line-height: 26px; padding-left: 7px; min-width: 0; }
  .v-stack span:empty { padding: 0; }
  .v-chips { margin: 8px 0; }
  .v-chips > div { display: grid; grid-template-columns: minmax(60px, 110px) minmax(0, 1fr); gap: 10px; align-items: center; }
  .v-chips .v-stack { height: 18px; margin: 2px 0; }
  .v-chips .v-stack span { line-height: 18px; font-size: 11px; }
  .v-cards { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 380px),
    1fr)); gap: 10px; }
  .v-cards li { background: var(--paper); border: 1px solid var(--line); border-radius: 7px; padding: 10px 14px; }
  .v-cards li.v-best { border-color: var(--accent); box-shadow: inset 3px 0 var(--accent); }
  #v-app .v-cards h3 { margin: 0; font-size: 13px; }
  .v-cards p { margin: 2px 0 6px; }
  .v-empty, .v-note { color: var(--soft); max-width: 70ch; }
  .v-empty { padding: 18px 0; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 12px ui-monospace, monospace; background: var(--lane);
    padding: 8px 10px; border-radius: 5px; margin: 0; }
  .v-drawer { grid-column: 2; border-top: 1px solid var(--line); background: var(--paper); padding: 10px 18px 12px; max-height: 44vh;
    overflow: auto; }
  .v-drawer[hidden], .v-hint[hidden] { display: none; }
  #v-app .v-drawer h2 { font-size: 14px; margin: 0; }
  .v-drawer .v-bar h2 { flex: 1; }
  .v-actions { display: flex; flex-wrap: wrap; gap: 6px; order: -1; }
  .v-drawer .v-bar > button { order: 1; }
  .v-drawer .v-bar h2 { order: -2; }
  .v-drawer .v-big { max-height: 26vh; }
  .v-hint { position: fixed; z-index: 20; pointer-events: none; background: var(--strong); color: var(--paper); padding: 5px 9px;
    border-radius: 5px; white-space: pre-line; max-width: min(420px, 92vw); overflow-wrap: anywhere; font-size: 12px;
    unicode-bidi: isolate; }
  .v-menu { position: relative; }
  .v-menu summary { list-style: none; }
  .v-menu > div { position: absolute; right: 0; top: 110%; z-index: 15; display: flex; flex-direction: column;
    background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 4px; min-width: 84px; }
  .v-menu > div button { border: 0; text-align: left; }
  .v-dialog { border: 1px solid var(--line); border-radius: 8px; background: var(--paper); color: var(--ink); padding: 14px;
    width: min(620px, 94vw); max-height: 80vh; }
  .v-dialog::backdrop { background: rgb(0 0 0 / 0.35); }
  .v-dialog h2 { margin: 0 0 8px; font-size: 16px; }
  .v-dialog input { width: 100%; font-size: 15px; min-height: 36px; }
  .v-dialog ul { list-style: none; margin: 8px 0 0; padding: 0; max-height: 54vh; overflow: auto; }
  .v-dialog li { display: flex; gap: 10px; padding: 5px 8px; border-radius: 4px; cursor: pointer; }
  .v-dialog li .v-soft { flex: 0 0 76px; }
  .v-dialog li[aria-selected="true"] { background: var(--pale); }
  .v-report { background: var(--paper); border: 1px solid var(--line); border-radius: 7px; padding: 8px 18px 16px; overflow-x: auto; }
  .v-report img { max-width: 100%; height: auto; background: #fff; }
  @media (max-width: 760px) {
    #v-app { grid-template: auto auto minmax(0, 1fr) auto / minmax(0, 1fr); }
    nav { grid-row: 2; flex-direction: row; border-right: 0; border-bottom: 1px solid var(--line); padding: 4px 6px; }
    nav kbd, header kbd { display: none; }
    #v-main { padding: 10px; }
    .v-drawer { grid-column: 1; padding: 8px 10px; max-height: 50vh; }
    .v-drawer .v-bar .v-actions { order: 2; width: 100%; }
    .v-table th, .v-table td { padding-right: 10px; }
    .v-facts > div { grid-template-columns: minmax(90px, 120px) minmax(0, 1fr); }
    header { padding: 6px 10px; }
    header .v-grow { display: none; }
  }
  @media (prefers-reduced-motion: no-preference) { .v-share { transition: width 0.15s; } }
  .v-swatch, .v-stack span, .v-track, .v-share { forced-color-adjust: none; }
  @media print {
    * { print-color-adjust: exact; }
    #v-app, #v-main, .v-panel, .v-lanes, .v-scroll, .v-report, .v-drawer
      { display: block; overflow: visible; height: auto !important; max-height: none; }
    nav, header button, .v-bar > button, input, .v-menu, .v-ask, .v-choice, .v-tick, .v-spacer, .v-space { display: none; }
    #v-main canvas { position: static; max-width: 100%; height: auto !important; }
    .v-table th, .v-table td { white-space: normal; }
  }
)css";

}  // namespace ipuflow::report::impl
