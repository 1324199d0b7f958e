import { gzipSync } from 'node:zlib'
import { cut } from '@botwright/protocol/facts'
import type { Timeline, TimelineStep } from '@botwright/protocol/timeline'
import { pageFile } from '../../../runtime/own-package.ts'

/** Longer contents are cut, so that a file with 1,000 events stays small. */
const LONGEST_DATA = 4000
const LONGEST_STACK = 4000

/** Options of the file. */
export interface TimelineHtmlOptions {
  /** The heading. */
  title: string
}

/**
 * One HTML file with timelines that loads nothing else, for a browser without a server. Its events are compressed, so that 1,000 of them
 * stay below 2 MB.
 */
export function timelineHtml(timelines: readonly Timeline[], { title }: TimelineHtmlOptions): string {
  const data = gzipSync(JSON.stringify(timelines.map(shortened)), { level: 9 }).toString('base64')
  const file = (name: string) => pageFile(name).toString('utf8')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="content-security-policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'" />
    <meta name="referrer" content="no-referrer" />
    <title>${escaped(title)}</title>
    <link rel="icon" href="data:," />
    <style>
${file('timeline.css')}</style>
  </head>
  <body>
    <header>
      <h1>${escaped(title)}</h1>
      <p id="count" role="status"></p>
      <label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false" /></label>
      <label><input id="failed" type="checkbox" /> Failed only</label>
    </header>
    <main id="events"></main>
    <noscript>This page requires JavaScript. "framework explain --json" prints the same data.</noscript>
    <script id="data" type="text/plain">${data}</script>
    <script type="module">
${file('timeline.js')}</script>
  </body>
</html>
`
}

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => signs[sign] ?? sign)

function shortened(timeline: Timeline): Timeline {
  const { data, ...event } = timeline.event
  const { failure } = timeline
  return {
    ...timeline,
    event: { ...event, ...(data && isShort(data) && { data }) },
    steps: timeline.steps.map(shortStep),
    ...(failure && {
      failure: { ...failure, ...(failure.stack !== undefined && { stack: cut(failure.stack, LONGEST_STACK) }) },
    }),
  }
}

function shortStep(step: TimelineStep): TimelineStep {
  if (step.kind !== 'call') return step
  const { input, response, ...others } = step
  return {
    ...others,
    ...(input !== undefined && isShort(input) && { input }),
    ...(response !== undefined && isShort(response) && { response }),
  }
}

const isShort = (value: unknown): boolean => JSON.stringify(value).length <= LONGEST_DATA
