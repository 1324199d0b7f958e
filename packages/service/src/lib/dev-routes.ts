import { endpoint, Id, Ok } from '@botwright/protocol'
import type { Hono } from 'hono'
import * as z from 'zod'
import type { Chat } from './chat.ts'
import { FileRuns } from './framework-dev/clock-followers.ts'
import { type Handlers, ok } from './http/handlers.ts'
import { identifyBot } from './http/identify.ts'
import { spec } from './people-api/spec.ts'
import { notFound } from './refusal.ts'
import { serveTable } from './http/router.ts'
import { CommandHelp, PublishedProblems, PublishedTimeline, Replay } from './people-api/resources.ts'
import { sendReplay } from './store/notify.ts'
import { notifyBot } from './store/servers.ts'
import { findBot } from './store/users.ts'

const MOST_COMMANDS = 1000
const MOST_TIMELINES = 100
const MOST_FILES = 1000

/**
 * The routes for `framework dev` and the commands next to it, `/dev/v1`: calls that are not those of the bot. They send its token.
 * They are not part of the specification, and no other service has them.
 */
const endpoints = {
  me: {
    get: endpoint({
      method: 'GET',
      path: '/me',
      spec,
      summary: 'Get the bot of the token and its owner, without a call in the journal of the bot',
      response: z.object({ id: Id, owner_id: Id }),
    }),
  },
  commands: {
    describe: endpoint({
      method: 'PUT',
      path: '/commands',
      spec,
      summary: "Describe the bot's commands for the page, until the service ends",
      body: z.object({ commands: z.array(CommandHelp).max(MOST_COMMANDS) }),
      response: Ok,
    }),
  },
  timelines: {
    publish: endpoint({
      method: 'PUT',
      path: '/timelines',
      spec,
      summary:
        "Show the bot's owner what it did for events; a later timeline of the same event replaces an earlier one",
      body: z.object({ timelines: z.array(PublishedTimeline).max(MOST_TIMELINES) }),
      response: Ok,
    }),
  },
  problems: {
    publish: endpoint({
      method: 'PUT',
      path: '/problems',
      spec,
      summary: "Show the bot's owner why its newest code does not load; no problems: it loads",
      body: PublishedProblems,
      response: Ok,
    }),
  },
  clock: {
    follow: endpoint({
      method: 'GET',
      path: '/clock',
      spec,
      summary: 'Wait until the clock of the bot has to move further ahead of the system clock',
      query: z.object({ ahead_ms: z.coerce.number().min(0).describe('how far the clock of the bot is ahead') }),
      response: z.object({ ahead_ms: z.number() }),
    }),
    move: endpoint({
      method: 'PUT',
      path: '/clock',
      spec,
      summary: 'Move the clock of the service as far as the bot is about to move its own',
      body: z.object({
        ahead_ms: z.number().min(0),
        ran: z
          .array(FileRuns)
          .max(MOST_FILES)
          .optional()
          .describe('after the whole move: the handlers that ended during it'),
      }),
      response: Ok,
    }),
  },
  replays: {
    list: endpoint({
      method: 'GET',
      path: '/replays',
      spec,
      summary: 'Wait for requests of the owner to run events through the current code',
      query: z.object({
        running: z
          .string()
          .regex(/^(?:\d+(?:,\d+)*)?$/, { error: 'must be ids of events, separated by commas' })
          .transform((ids) => new Set(ids.split(',').filter(Boolean).map(Number)))
          .optional()
          .describe('the events that the program still runs: it has lost the others that it has received'),
      }),
      response: z.object({ event_ids: z.array(z.int()) }),
    }),
    answer: endpoint({
      method: 'PUT',
      path: '/replays/{event_id}',
      spec,
      summary: 'Send the owner the result of a replay',
      body: Replay,
      response: Ok,
    }),
  },
} as const

const handlers: Handlers<typeof endpoints> = {
  me: {
    get: ({ chat, actor }) => ({ id: actor.id, owner_id: ownerOf(chat, actor.id) }),
  },
  commands: {
    describe({ chat, actor, body }) {
      chat.commandHelp.set(actor.id, body.commands)
      notifyBot(chat, actor.id)
      return ok
    },
  },
  timelines: {
    publish({ chat, actor, body }) {
      const owner = ownerOf(chat, actor.id)
      const summaries = body.timelines.map((each) => chat.timelines.keep(actor.id, each))
      if (!chat.stream.listens(owner)) return ok
      chat.afterCommit.push(() => {
        for (const timeline of summaries)
          chat.stream.send(owner, 'bot_timeline', { channel_id: null, server_id: null, timeline })
      })
      return ok
    },
  },
  problems: {
    publish({ chat, actor, body }) {
      const problems = { bot_id: actor.id, ...body }
      const owner = ownerOf(chat, actor.id)
      chat.afterCommit.push(() => {
        chat.codeProblems.keep(problems)
        chat.stream.send(owner, 'bot_problems', { channel_id: null, server_id: null, ...problems })
      })
      return ok
    },
  },
  clock: {
    follow: async ({ chat, actor, query, onDisconnect }) => ({
      ahead_ms: await chat.clockFollowers.poll(actor.id, query.ahead_ms, onDisconnect),
    }),
    move({ chat, actor, body }) {
      // Timers of the service begin transactions of their own.
      chat.afterCommit.push(() => chat.clockFollowers.moves(actor.id, body.ahead_ms, body.ran))
      return ok
    },
  },
  replays: {
    list: async ({ chat, actor, query, onDisconnect }) => ({
      event_ids: await chat.replays.poll(actor.id, query.running, onDisconnect),
    }),
    answer({ chat, actor, params, body }) {
      const eventId = Number(params.event_id)
      if (!chat.timelines.get(actor.id, eventId)) throw notFound('timeline')
      chat.afterCommit.push(() => {
        chat.replays.answered(actor.id, eventId)
        sendReplay(chat, actor.id, eventId, body)
      })
      return ok
    },
  },
}

const ownerOf = (chat: Chat, botId: string): string => findBot(chat, botId)!.owner_id

export const serveDevRoutes = (app: Hono, chat: Chat): void =>
  serveTable(app, chat, { base: '/dev/v1', endpoints, handlers, identify: identifyBot })
