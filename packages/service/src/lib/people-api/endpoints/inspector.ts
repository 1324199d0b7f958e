import { endpoint, Ok } from '@botwright/protocol'
import * as z from 'zod'
import { BotJournal, BotProblems, PublishedTimeline, TimelineSummary } from '../resources.ts'
import { spec } from '../spec.ts'

export const inspector = {
  journal: endpoint({
    method: 'GET',
    path: '/bots/{bot_id}/journal',
    spec,
    summary:
      "Get the recent events and calls of one of the person's bots, oldest first; the stream then sends new ones",
    response: BotJournal,
    access: 'own_bot',
  }),
  timelines: endpoint({
    method: 'GET',
    path: '/timelines',
    spec,
    summary:
      "List what the person's bots did for their recent events, if `framework dev` runs them, and the problems of their code; the stream then sends new ones",
    response: z.object({ timelines: z.array(TimelineSummary), problems: z.array(BotProblems) }),
  }),
  timeline: endpoint({
    method: 'GET',
    path: '/bots/{bot_id}/timelines/{event_id}',
    spec,
    summary: "Get what one of the person's bots did for an event, step by step",
    response: PublishedTimeline,
    access: 'own_bot',
  }),
  replay: endpoint({
    method: 'POST',
    path: '/bots/{bot_id}/timelines/{event_id}/replay',
    spec,
    summary: 'Run an event through the current code, sending nothing; the stream then sends the answers, `bot_replay`',
    response: Ok,
    access: 'own_bot',
  }),
  world: endpoint({
    method: 'GET',
    path: '/bots/{bot_id}/world',
    spec,
    summary:
      "Get the initial world of the service, for a test of one of the person's bots; null if the test kit's own world fits",
    response: z.object({ world: z.record(z.string(), z.unknown()).nullable() }),
    access: 'own_bot',
  }),
} as const
