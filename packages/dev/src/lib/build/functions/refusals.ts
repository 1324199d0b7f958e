// Finds the code that cannot run as functions, with its place, and lists the differences.

import type { AnyNode, Node } from 'acorn'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config, Definition } from '@botwright/framework'
import { lastingMembers, shortestGapMs, workersHandlerSeconds } from '@botwright/framework/start'
import type { Problem } from '../../compile/problem.ts'
import { isLacking } from './lacking-modules.ts'
import { parseSource } from '../../compile/syntax.ts'
import { childrenOf, memberOf } from '../../compile/tree.ts'

/** A bot that is built as functions. */
export interface FunctionFacts {
  root: string
  /** The absolute path of a file of the bot, or of one of its plugins. */
  pathOf: (file: string) => string
  definitions: readonly Definition[]
  config: Config
  /** `bot.config.ts`, if the bot has one. */
  configFile: string | undefined
  /** The bot's own modules, relative to its folder. */
  sources: readonly string[]
  /** Imports of packages that Workers do not have, in words. */
  lacking: readonly string[]
  /** How often the platform calls `scheduled`. */
  everyMs: number
}

const elsewhere = 'run this bot with framework start'

/** Events of a process. */
const events: Readonly<Record<string, string>> = {
  ready: 'a function does not start as a process does; do this in a task',
  shutdown: 'a function is not stopped as a process is; remove the file',
  error: 'failures are only logged; remove the file, and read the log of the platform',
}

const inConfig = {
  quietHours: `messages are held by a process that lasts; remove quietHours, or ${elsewhere}`,
  assets: 'a function has no files; import them, and remove assets',
  cluster: 'the platform starts as many instances as it needs; remove cluster',
} as const

/** A problem of a file, and the options that it is about. */
interface OfOption {
  file: string
  text: string
  names: readonly string[]
}

/** Why a bot cannot run as functions, each with its place. */
export async function functionProblems(facts: FunctionFacts): Promise<Problem[]> {
  const { config, configFile, sources } = facts
  const found = await Promise.all(sources.map((file) => problemsIn(facts, file)))
  const ofOptions = [...configProblems(facts), ...definitionProblems(facts)]
  const placed = await Promise.all(ofOptions.map((problem) => atOption(facts, problem)))
  return [...(config.store ? [] : [withoutStore(configFile)]), ...placed, ...found.flat()]
}

function configProblems({ config, configFile: file }: FunctionFacts): OfOption[] {
  if (file === undefined) return []
  const names = Object.keys(inConfig) as (keyof typeof inConfig)[]
  return names.filter((name) => isSet(config[name])).map((name) => ({ file, text: inConfig[name], names: [name] }))
}

const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

/** The definitions have the options of every file, wherever its code gets them from. */
function definitionProblems({ definitions, everyMs }: FunctionFacts): OfOption[] {
  return definitions.flatMap(({ durable, facts, file, kind, name, schedule }): OfOption[] => {
    const of = (text: string, ...names: string[]) => [{ file, text, names }]
    const event = kind === 'event' ? events[name] : undefined
    if (event !== undefined) return of(`events/${name}: ${event}`)
    if (durable) return of(`durable handlers are continued by a process that lasts; ${elsewhere}`, 'durable')
    if (facts && 'gather' in facts) return of(`gathered events wait in the memory of a process; ${elsewhere}`, 'gather')
    const gapMs = schedule && shortestGapMs(schedule)
    if (gapMs === undefined || gapMs >= everyMs) return []
    const text = `runs every ${seconds(gapMs)}, but the functions are scheduled every ${seconds(everyMs)}; run it less often, or pass --every`
    return of(text, 'every', 'cron')
  })
}

function withoutStore(configFile: string | undefined): Problem {
  const [reason, shared] = ['nothing stays in a function between its requests', 'to a store that all instances share']
  return configFile === undefined
    ? { text: `bot.config.ts is missing: ${reason}; create the file, and set store ${shared}` }
    : { file: configFile, text: `store is missing: ${reason}; set it ${shared}` }
}

async function problemsIn({ root }: FunctionFacts, file: string): Promise<Problem[]> {
  const { program, placeOf } = await parseSource(await readFile(join(root, file), 'utf8'), file)
  const found: Problem[] = []
  const report = (node: Node, text: string) => void found.push({ file, ...placeOf(node), text })
  const visit = (node: AnyNode): void => {
    const [at, text] = factOf(node) ?? []
    if (at && text !== undefined) report(at, text)
    if (!isUrlOfPlugin(node)) for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return found
}

/** `url: import.meta.url`, which each plugin sets for the build. */
const isUrlOfPlugin = (node: AnyNode): boolean =>
  node.type === 'Property' &&
  node.key.type === 'Identifier' &&
  node.key.name === 'url' &&
  node.value.type === 'MemberExpression' &&
  node.value.object.type === 'MetaProperty'

/** The node and the reason, if its code cannot run as functions. */
function factOf(node: AnyNode): [Node, string] | undefined {
  if (node.type === 'CallExpression' && node.callee.type === 'MemberExpression') {
    const { object } = node.callee
    const name = memberOf(node.callee)
    if (object.type === 'Identifier' && /^(?:ctx|context)$/.test(object.name) && Object.hasOwn(lastingMembers, name))
      return [node.callee.property, `ctx.${name} ${lastingMembers[name as keyof typeof lastingMembers]}`]
  }
  const from = importedBy(node)
  if (from?.type === 'Literal' && typeof from.value === 'string' && isLacking(from.value))
    return [from, `${from.value} does not exist in Workers`]
  if (node.type === 'MetaProperty' && node.meta.name === 'import')
    return [node, 'import.meta: a function is one file in no folder; import what it reads']
  return undefined
}

/** The node that names the module which this one imports. */
function importedBy(node: AnyNode): AnyNode | null | undefined {
  if (node.type === 'CallExpression')
    return node.callee.type === 'Identifier' && node.callee.name === 'require' ? node.arguments[0] : undefined
  return 'source' in node ? node.source : undefined
}

/** Adds the place of the first of these options in its file. */
async function atOption({ pathOf }: FunctionFacts, { file, text, names }: OfOption): Promise<Problem> {
  const { program, placeOf } = await parseSource(await readFile(pathOf(file), 'utf8'), file)
  let place: { line: number; column: number } | undefined
  const visit = (node: AnyNode): void => {
    if (node.type === 'Property' && names.includes(nameOf(node.key))) place ??= placeOf(node)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(program)
  return { file, text, ...(place ?? { line: 1, column: 1 }) }
}

const nameOf = (key: AnyNode): string =>
  key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : ''

/** The differences from `framework start` of code that works. */
export function functionDifferences({ config, definitions, everyMs, lacking }: FunctionFacts): string[] {
  const { answerBots, health, limits, record, tracing } = config
  const kinds = new Set(definitions.map(({ kind }) => kind))
  const ignored = Object.entries({ health, record, tracing }).flatMap(([name, value]) => (value ? [name] : []))
  return [
    'between calls the bot shows as offline',
    'events of one channel may run at the same time, and a missed one after newer ones',
    'a handler that blocks also blocks the other requests of its instance',
    ...(kinds.has('task')
      ? [`tasks and ctx.schedule run when the platform calls scheduled, every ${seconds(everyMs)}`]
      : []),
    ...(kinds.has('resource') ? ['resources are opened and closed in each invocation that runs a handler'] : []),
    ...(limits.handlerSeconds > workersHandlerSeconds
      ? [
          `handlers have ${limits.handlerSeconds} s, but Workers end an invocation ${WORKERS_SECONDS} s after its response; set limits.handlerSeconds to ${workersHandlerSeconds} or less for them`,
        ]
      : []),
    ...(answerBots
      ? ['answers to other bots are counted in each invocation, so that two bots may answer each other without end']
      : []),
    ...lacking,
    ...ignored.map((name) => `${name} of bot.config.ts has no effect`),
  ]
}

/** `waitUntil` of Workers lasts so long. */
const WORKERS_SECONDS = 30

const seconds = (ms: number): string => (ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`)
