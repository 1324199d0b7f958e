import { endpoint, Ok } from '@botwright/protocol'
import type { Hono } from 'hono'
import * as z from 'zod'
import type { Chat } from './chat.ts'
import { type Handlers, ok } from './handlers.ts'
import { identifyBot } from './identify.ts'
import { spec } from './people-contract/spec.ts'
import { serveTable } from './router.ts'
import { CommandHelp } from './people-resources.ts'
import { notifyBot } from './store/servers.ts'

const MOST_COMMANDS = 1000

/**
 * The side channel of `framework dev`, `/dev/v1`: what the bot interface has no call for. A bot calls it with its own token. It
 * is not part of the specification, and no other service has it.
 */
const endpoints = {
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
} as const

const handlers: Handlers<typeof endpoints> = {
  commands: {
    describe({ chat, actor, body }) {
      chat.afterCommit.push(() => {
        chat.commandHelp.set(actor.id, body.commands)
        notifyBot(chat, actor.id)
      })
      return ok
    },
  },
}

export const serveDevSide = (app: Hono, chat: Chat): void =>
  serveTable(app, chat, { base: '/dev/v1', endpoints, handlers, identify: identifyBot })
