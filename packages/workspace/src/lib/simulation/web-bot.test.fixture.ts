// A third bot that the repository simulates: requests of other programs, streams, approvals, pages, models and switches.

import { fileURLToPath } from 'node:url'
import type { SimBot, SimFacts } from '@botwright/testing/simulation'
import * as z from 'zod'
import { compiled, rowsOf } from './bot-facts.test.fixture.ts'
import { answeredAfterCrash } from './crash-rules.test.fixture.ts'
import { hookRules } from './hook-rules.test.fixture.ts'
import { HOOK_SECRET, sends, switches } from './web-actors.test.fixture.ts'
import { webRules } from './web-rules.test.fixture.ts'

const folder = fileURLToPath(new URL('../../../tests/simulated-web-bot', import.meta.url))
const variables = { HOOK_SECRET }

/** The owner creates a channel webhook. */
async function prepare({ people }: SimFacts): Promise<Record<string, string>> {
  const made = await people.asOwner('POST', `/channels/${people.channels[0]}/webhooks`, { name: 'News' })
  return { NEWS_URL: ((await made.json()) as { url: string }).url }
}

/** Compiles the bot once. */
export const webBot = async (): Promise<SimBot> => ({
  ...(await compiled(folder, { http: false, env: z.object({ HOOK_SECRET: z.string() }) }, variables)),
  says: ['tell', 'leave', 'list', 'tool', 'announce', 'tell', 'leave', 'add'].map((name) => `/${name} {n}`),
  answers: ['because {n}', 'no {n}', 'cancel'],
  durable: ['commands/leave.ts'],
  // It waits for the click that stops it.
  waits: ['commands/tell.ts'],
  prepare,
  actors: { sends, switches },
  secrets: [HOOK_SECRET],
  // A person who declines has ten minutes for the reason, and a request that has failed runs again after as long.
  isWaiting: (facts) =>
    rowsOf(facts).some(
      ({ key, value }) =>
        key.startsWith('route:row:') || (key.startsWith('run:head:') && value.includes('"status":"waiting"')),
    ),
  rules: [...webRules, ...hookRules, answeredAfterCrash(/^\/(list|tool|add|announce)\b/)],
})
