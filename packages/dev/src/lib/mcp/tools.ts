import { join } from 'node:path'
import { explainCommand, parseDuration } from '@botwright/framework/replay'
import { BotwrightError } from '@botwright/protocol/facts'
import * as z from 'zod'
import { runCheck } from '../check-command.ts'
import { runEvents } from '../history/events-command.ts'
import type { Act } from '../people/act.ts'
import type { BotSearch } from '../people/bot-at-service.ts'
import { runControl } from '../people/controls.ts'
import { runAct } from '../people/people-command.ts'
import { runRole } from '../people/role-command.ts'
import { runSaveTest } from '../people/save-test.ts'
import { runRoutes } from '../routes-command.ts'
import type { Terminal } from '../terminal.ts'
import { searchDocs } from '../docs.ts'

/** A tool of the server: a command of the command line with `--json`, called by a program. */
export interface Tool {
  name: string
  description: string
  input: z.ZodObject
  /** Prints the JSON of its result to the terminal. */
  run: (input: Record<string, unknown>, terminal: Terminal) => Promise<unknown>
}

/** Keeps the types of the input between its schema and its function. */
const tool = <S extends z.ZodObject>(
  name: string,
  description: string,
  input: S,
  run: (input: z.output<S>, terminal: Terminal) => Promise<unknown>,
): Tool => ({ name, description, input, run: run as Tool['run'] })

const person = z.string().describe('the name of a person, such as ann; a new name creates one')
const channel = z.string().default('general').describe('the name of the channel, without #')
const message = z.string().optional().describe('the id of the message (default: the newest one)')
const waitSeconds = z.number().min(0.1).max(60).default(5).describe('how long to wait for the handler')
const MAX_EVENTS = 100

/** Where the tools find the bot and its service. */
interface Target extends BotSearch {
  /** As for `findService`. */
  service: string | undefined
}

/** The tools for the bot in a folder. */
export function toolsFor(target: Target): Tool[] {
  const { folder } = target
  const base = { ...target, json: true }
  const act = (what: Act, wait: number, terminal: Terminal) => runAct(what, { ...base, waitMs: wait * 1000 }, terminal)
  return [
    tool(
      'say',
      'Writes a message as a person. Returns what the bot did: its answers, the file and line of an error, or why it did nothing.',
      z.object({ person, text: z.string(), channel, wait_seconds: waitSeconds }),
      (input, terminal) =>
        act(
          { verb: 'say', who: input.person, where: input.channel, content: input.text },
          input.wait_seconds,
          terminal,
        ),
    ),
    tool(
      'click',
      'Clicks a button as a person, by its label or emoji. Returns what the bot did.',
      z.object({ person, label: z.string(), channel, message_id: message, wait_seconds: waitSeconds }),
      ({ person: who, label, channel: where, message_id: on, wait_seconds }, terminal) =>
        act({ verb: 'click', who, where, label, on }, wait_seconds, terminal),
    ),
    tool(
      'react',
      'Reacts to a message as a person. Returns what the bot did.',
      z.object({ person, emoji: z.string(), channel, message_id: message, wait_seconds: waitSeconds }),
      ({ person: who, emoji, channel: where, message_id: on, wait_seconds }, terminal) =>
        act({ verb: 'react', who, where, emoji, on }, wait_seconds, terminal),
    ),
    tool(
      'dm',
      'Writes a direct message to the bot as a person. Returns what the bot did.',
      z.object({ person, text: z.string(), wait_seconds: waitSeconds }),
      (input, terminal) => act({ verb: 'dm', who: input.person, content: input.text }, input.wait_seconds, terminal),
    ),
    tool(
      'join',
      'Joins a server as a person. Returns what the bot did.',
      z.object({ person, server: z.string().optional(), wait_seconds: waitSeconds }),
      (input, terminal) => act({ verb: 'join', who: input.person, server: input.server }, input.wait_seconds, terminal),
    ),
    tool(
      'role',
      'Gives a person a role in a server of the local service, creating the role if necessary, or takes it away.',
      z.object({ person, role: z.string(), server: z.string().optional(), remove: z.boolean().default(false) }),
      ({ person: who, role, server, remove }, terminal) => runRole({ ...base, who, role, server, remove }, terminal),
    ),
    tool(
      'clock',
      'Moves the clocks of the local service and of the bot in "framework dev" forward. Returns what the bot did when its timers were due.',
      z.object({ time: z.string().describe('a duration, such as +16m') }),
      ({ time }, terminal) => {
        const ms = parseDuration(time.replace(/^\+/, ''))
        if (ms === undefined || ms <= 0)
          throw new BotwrightError('ERR_CONFIG', 'time: must be a duration, such as +16m')
        return runControl({ kind: 'clock', ms }, base, terminal)
      },
    ),
    tool(
      'fault',
      'Makes the next responses of the local service to the bot fail. Without a path, clears all faults.',
      z.object({
        method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
        path: z.string().optional().describe('a path of the bot interface, such as /channels/*'),
        fault: z.string().default('500').describe('a status, or close, cut, stall or slow'),
        times: z.int().min(1).default(1),
        seconds: z.number().min(0).max(3600).default(1).describe('the delay for slow, or Retry-After for 429'),
      }),
      ({ method, path, fault, times, seconds }, terminal) => {
        const made = path === undefined ? undefined : { method, path, then: fault, times, seconds }
        return runControl({ kind: 'fault', fault: made }, base, terminal)
      },
    ),
    tool(
      'reset',
      'Returns the local service to the world it started with. The bot keeps its state.',
      z.object({}),
      (_, terminal) => runControl({ kind: 'reset' }, base, terminal),
    ),
    tool(
      'events',
      'Lists the newest events that the bot received, with the files that handled them, and the answers.',
      z.object({
        limit: z.int().min(1).max(MAX_EVENTS).default(10),
        type: z.string().optional(),
        file: z.string().optional().describe('such as commands/ping.ts'),
      }),
      ({ limit, type, file }, terminal) =>
        runEvents({
          ...{ state: join(folder, '.botwright'), from: 'dev', follow: false, lines: limit, json: true, terminal },
          ...(type !== undefined && { type }),
          ...(file !== undefined && { file }),
          signal: new AbortController().signal,
        }),
    ),
    tool(
      'explain',
      'Shows what the bot did for one event, step by step: route, guards, handler, calls, failure with the lines of code.',
      z.object({ event: z.int().min(1).describe('the id of the event, as in the results of other tools') }),
      ({ event }, { print }) =>
        explainCommand({ event, folder, state: '.botwright', from: 'dev', json: true, print, note: () => {} }),
    ),
    tool(
      'check',
      'Loads every file of the bot and checks its types, without running it.',
      z.object({}),
      (_, terminal) => runCheck({ folder, json: true }, terminal),
    ),
    tool(
      'routes',
      'Lists the commands, buttons, events, tasks and state of the bot with their files, guards and middleware.',
      z.object({}),
      (_, terminal) => runRoutes({ folder, json: true }, terminal),
    ),
    tool(
      'docs_search',
      'Searches the documentation of the framework. Returns the best matches.',
      z.object({ question: z.string().min(2).max(500) }),
      async ({ question }, terminal) => terminal.print(JSON.stringify({ matches: searchDocs(question) })),
    ),
    tool(
      'save_test',
      'Writes the latest conversation with the bot as a vitest file, and runs it.',
      z.object({
        file: z.string().describe('such as test/poll.test.ts'),
        last: z
          .int()
          .min(1)
          .max(MAX_EVENTS)
          .default(5)
          .describe('how many of the latest messages, clicks and reactions'),
        channel: z.string().optional().describe('default: where the latest one was'),
        title: z.string().optional(),
        force: z.boolean().default(false).describe('replace an existing file'),
      }),
      ({ file, last, channel: where, title, force }, terminal) =>
        runSaveTest({ ...base, file, last, where, title, force, run: true }, terminal),
    ),
  ]
}
